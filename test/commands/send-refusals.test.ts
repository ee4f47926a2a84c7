import { describe, expect, it } from "vitest";
import { to, withSend } from "./with-send.ts";

const { refusal, send } = withSend();

describe("nothing is sent if", () => {
  it.each([
    ["there is no recipient", ["-m", "Hi"], "NO_RECIPIENT", "there is no recipient"],
    [
      "the number is not one",
      ["--to", "call me", "-m", "Hi"],
      "INVALID_NUMBER",
      '"call me" cannot be read: it has no digits',
    ],
    [
      "the country is not one",
      ["--to", to, "-m", "Hi", "--country", "XX"],
      "INVALID_COUNTRY",
      '"XX" is not the code of a country',
    ],
    ["the message is empty", ["--to", to, "-m", ""], "EMPTY_MESSAGE", "the message is empty"],
    ["the message is blank", ["--to", to, "-m", " \n\u00a0"], "BLANK_MESSAGE", "the message is only white space"],
    ["standard input is empty", ["--to", to], "EMPTY_MESSAGE", "standard input is empty, so there is no message"],
    [
      "the message is too long",
      ["--to", to, "-m", "a".repeat(1601)],
      "MESSAGE_TOO_LONG",
      "the message has 1,601 characters (UTF-16 code units); the limit is 1,600",
    ],
    [
      "the message has a NUL",
      ["--to", to, "-m", "a\0b"],
      "INVALID_MESSAGE",
      "the message has a NUL at line 1, column 2",
    ],
    [
      "two texts are given",
      ["--to", to, "-m", "a", "--message-file", "b"],
      "AMBIGUOUS_MESSAGE",
      "--message and --message-file are both given",
    ],
    [
      "an empty variable made a flag the text",
      ["--to", to, "--message", "--quiet"],
      "INVALID_OPTION",
      "--message has no value: --quiet follows it",
    ],
    [
      "an empty variable made a flag with a value the text",
      ["--to", to, "--message", "--sender=ACME"],
      "INVALID_OPTION",
      "--message has no value: --sender=ACME follows it",
    ],
    [
      "an empty variable made the end of the options the text",
      ["--to", to, "--message", "--"],
      "INVALID_OPTION",
      "--message has no value: -- follows it",
    ],
    [
      "the text on the command line was not UTF-8",
      ["--to", to, "-m", "caf\uFFFD"],
      "NOT_UTF8",
      "argument 5, after -m, is not UTF-8 text: caf\uFFFD",
    ],
    ["an option is given twice", ["--to", to, "-m", "a", "-m", "b"], "INVALID_OPTION", "--message is given twice"],
    [
      "the timeout is not a number",
      ["--to", to, "-m", "a", "--timeout", "soon"],
      "INVALID_OPTION",
      '--timeout takes a number of seconds, not "soon"',
    ],
    [
      "the retries are not whole",
      ["--to", to, "-m", "a", "--retries", "1.5"],
      "INVALID_OPTION",
      '--retries takes a whole number of tries, not "1.5"',
    ],
    ["an option is unknown", ["--to", to, "-m", "a", "--sendr", "ACME"], "USAGE", "unknown option '--sendr'"],
    ["an argument is left over", ["--to", to, "-m", "Hello", "world"], "USAGE", "unexpected argument 'world'"],
    [
      "the key is of the other kind",
      ["--to", to, "-m", "a", "--expect", "live"],
      "UNEXPECTED_KEY",
      "--expect live asks for a live key, and SMS_API_KEY (test) is not one",
    ],
    [
      "a live one is expected of the sandbox",
      ["--to", to, "-m", "a", "--expect", "live", "--sandbox"],
      "UNEXPECTED_KEY",
      "--expect live asks for a live key, and the sandbox's is not one",
    ],
  ])("%s", async (_, args, errorCode, error) => {
    expect(await refusal(args)).toEqual({ errorCode, error });
  });

  it.each([
    [
      "two variables say who pays",
      { SMS_EMAIL: "sandbox@example.com", SMS_PASSWORD: "sandbox" },
      "AMBIGUOUS_CREDENTIALS",
      "more than one kind of credentials is set: SMS_API_KEY, SMS_EMAIL and SMS_PASSWORD",
    ],
    [
      "the key is malformed",
      { SMS_API_KEY: "sk_live_a b" },
      "INVALID_KEY",
      "SMS_API_KEY does not contain an API key: it has white space inside",
    ],
    ["the base URL is empty", { SMS_BASE_URL: "" }, "EMPTY_VARIABLE", "SMS_BASE_URL is set but empty"],
  ])("%s", async (_, more, errorCode, error) => {
    expect(await refusal(["--to", to, "-m", "Hi"], { environment: more })).toEqual({ errorCode, error });
  });

  it("a person at a terminal gave no text", async () => {
    expect(await refusal(["--to", to], { isTerminal: true })).toEqual({
      errorCode: "NO_MESSAGE",
      error: "there is no message",
    });
  });

  it.each([
    ["the key is empty", { SMS_API_KEY: "" }, "SMS_API_KEY is set but empty"],
    [
      "half of an account is set",
      { SMS_API_KEY: "", SMS_EMAIL: "a@example.com" },
      "SMS_EMAIL is set, but SMS_PASSWORD is not",
    ],
    [
      "the key file is not there",
      { SMS_API_KEY: "", SMS_API_KEY_FILE: "/nowhere/key" },
      'there is no file "/nowhere/key" (SMS_API_KEY_FILE)',
    ],
  ])("%s: exit code 4", async (_, more, error) => {
    const { code, stderr } = await send(["--to", to, "-m", "Hi", "--json"], { environment: more });
    expect(code).toBe(4);
    expect(JSON.parse(stderr)).toMatchObject({ error, errorCode: "NO_CREDENTIALS", outcome: "unsent" });
  });
});
