import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { type Machine, sms } from "../support/machine.ts";

const to = "+254712345678";
let sandbox: Sandbox;
let folder: string;
let environment: Readonly<Record<string, string>>;

beforeAll(async () => {
  let ids = 0;
  sandbox = await startSandbox({
    port: 0,
    tier: "professional",
    credits: 1000,
    now: Date.now,
    newId: () => `msg_${++ids}`,
  });
  environment = { SMS_BASE_URL: sandbox.url, SMS_API_KEY: "sk_test_sandbox" };
  folder = mkdtempSync(join(tmpdir(), "sms-"));
});

afterAll(async () => {
  await sandbox.close();
  rmSync(folder, { recursive: true });
});

function send(args: readonly string[], machine: Machine = {}) {
  return sms(["send", ...args], { ...machine, environment: { ...environment, ...machine.environment } });
}

/** What the sandbox was given by the last send. */
function lastTaken() {
  const { to: recipient, senderId, message } = sandbox.messages().at(-1) ?? {};
  return { to: recipient, senderId, message };
}

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

describe("sms send", () => {
  it("tells a person what the service answered", async () => {
    const { code, stdout, stderr } = await send(["--to", to, "--message", "Deploy finished"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        "✓ Queued for +254712345678 from SANDBOX",
        `  Message   ${sandbox.messages().at(-1)?.messageId}`,
        "  Segments  1",
        "  Cost      1 credit, KES 0.80",
        "  Balance   1,000 credits left",
        "  Mode      test key: no phone receives it (from SMS_API_KEY)",
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("gives a script one line of JSON, in the service's own words", async () => {
    const { code, stdout, stderr } = await send(["--to", to, "--message", "Hi", "--json"]);
    const [messageId] = sandbox
      .messages()
      .slice(-1)
      .map((message) => message.messageId);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `{"success":true,"messageId":"${messageId}","segments":1,"totalCredits":1,"totalCostKes":0.8,"newBalance":1000,"status":"queued","to":"${to}","senderId":"SANDBOX","mode":"test"}\n`,
      stderr: "",
    });
  });

  it("gives the message id alone with --quiet", async () => {
    const { stdout, stderr } = await send(["--to", to, "--message", "Hi", "--quiet"]);
    expect({ stdout, stderr }).toEqual({ stdout: `${sandbox.messages().at(-1)?.messageId}\n`, stderr: "" });
  });

  it.each([
    [
      "a live key",
      { SMS_API_KEY: "sk_live_sandbox" },
      "live",
      "live key: real phones, charged (from SMS_API_KEY)",
    ],
    [
      "an account",
      { SMS_API_KEY: "", SMS_EMAIL: "sandbox@example.com", SMS_PASSWORD: "sandbox" },
      "account",
      "account credentials: real phones, charged (from SMS_EMAIL and SMS_PASSWORD)",
    ],
  ])("says that %s was used", async (_, credentials, mode, sentence) => {
    const args = ["--to", to, "--message", "Hi"];
    const human = await send(args, { environment: credentials });
    expect(human.stdout).toContain(`  Mode      ${sentence}\n`);
    const { stdout } = await send([...args, "--json"], { environment: credentials });
    expect(JSON.parse(stdout)).toMatchObject({ mode });
  });

  it("takes global options before its name as well", async () => {
    const { stdout } = await sms(["--quiet", "send", "--to", to, "--message", "Hi"], { environment });
    expect(stdout).toBe(`${sandbox.messages().at(-1)?.messageId}\n`);
  });

  it("colours for a terminal, and not with --no-color", async () => {
    const machine = { isTerminal: true, hasColor: true };
    const args = ["--to", to, "--message", "Hi"];
    expect((await send(args, machine)).stdout).toContain("\u001b[32m✓\u001b[39m");
    expect((await send([...args, "--no-color"], machine)).stdout).not.toContain("\u001b");
  });
});

describe("the text of a message", () => {
  it.each([
    ["from --message as it is", ["-m", " two  spaces\n"], "", " two  spaces\n"],
    ["from standard input, without its last line end", [], "Disk full on db1\n", "Disk full on db1"],
    ["from standard input, without its last CR LF", [], "Disk full\r\n\r\n", "Disk full\r\n"],
    ["from standard input for --message -", ["-m", "-"], "piped", "piped"],
    ["from standard input for --message-file -", ["--message-file", "-"], "piped", "piped"],
    ["without a byte order mark", [], "\ufeffpiped", "piped"],
    ["from --message, leaving standard input alone", ["-m", "flag"], "piped", "flag"],
  ])("comes %s", async (_, args, stdin, message) => {
    expect((await send(["--to", to, ...args], { stdin })).code).toBe(0);
    expect(lastTaken()).toEqual({ to, senderId: "SANDBOX", message });
  });

  it("comes from a file, without its last line end", async () => {
    const path = file("note.txt", "Meeting at 10\nBring cake\n");
    await send(["--to", to, "--message-file", path]);
    expect(lastTaken().message).toBe("Meeting at 10\nBring cake");
  });

  it("is refused where it is not UTF-8", async () => {
    const path = file("latin1.txt", Uint8Array.of(0x67, 0xfc, 0x6e));
    expect(await refusal(["--to", to, "--message-file", path])).toEqual({
      errorCode: "NOT_UTF8",
      error: `${path} is not UTF-8 text`,
    });
  });

  it("has its look-alikes replaced with --gsm7, which says so", async () => {
    const { stderr } = await send(["--to", to, "-m", "It’s 5 – 6 “now”…", "--gsm7"]);
    expect(lastTaken().message).toBe('It\'s 5 - 6 "now"...');
    expect(stderr).toBe('Warning: replaced for GSM-7: ’ by \', – by -, “ by ", ” by ", … by ...\n');
  });

  it("warns when look-alikes raise the cost, and sends the text unchanged", async () => {
    const text = `It’s ${"a".repeat(100)}`;
    const { stderr } = await send(["--to", to, "-m", text]);
    expect(lastTaken().message).toBe(text);
    expect(stderr).toBe(
      "Warning: look-alikes make this 2 segments instead of 1: --gsm7 replaces them, and `sms preview` shows them\n",
    );
  });

  it("is sent with {{field}} in it only with --literal", async () => {
    const args = ["--to", to, "-m", "Hi {{name}}"];
    expect(await refusal(args)).toEqual({
      errorCode: "UNFILLED_FIELD",
      error: "the message contains {{name}}, and a recipient given with --to has no fields to fill it",
    });
    expect(await send([...args, "--literal"])).toMatchObject({ code: 0, stderr: "" });
    expect(lastTaken().message).toBe("Hi {{name}}");
  });
});

describe("the recipient and the sender", () => {
  it.each([
    ["--country", ["--country", "ke"], {}],
    ["SMS_COUNTRY", [], { SMS_COUNTRY: "KE" }],
    ["--country before SMS_COUNTRY", ["--country", "KE"], { SMS_COUNTRY: "US" }],
  ])("are read in the country of %s", async (_, args, more) => {
    await send(["--to", "0712 345678", "-m", "Hi", ...args], { environment: more });
    expect(lastTaken().to).toBe(to);
  });

  it.each([
    ["--sender", ["--sender", "ACME"], {}],
    ["SMS_SENDER", [], { SMS_SENDER: "ACME" }],
    ["--sender before SMS_SENDER", ["--sender", "ACME"], { SMS_SENDER: "SANDBOX" }],
    ["--sender-id before SMS_SENDER", ["--sender-id", "5e4de00000000000000000a2"], { SMS_SENDER: "SANDBOX" }],
  ])("are named by %s", async (_, args, more) => {
    await send(["--to", to, "-m", "Hi", ...args], { environment: more });
    expect(lastTaken().senderId).toBe("ACME");
  });

  it("are warned of where the number is in no known range", async () => {
    const { code, stderr } = await send(["--to", "+254999999999", "-m", "Hi"]);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: "Warning: +254999999999 is in no range of numbers known to be in use\n",
    });
  });

  it("come with their warnings in the one line of JSON", async () => {
    const { stdout, stderr } = await send(["--to", "+254999999999", "-m", "Hi", "--json"]);
    expect(JSON.parse(stdout)).toMatchObject({
      to: "+254999999999",
      warnings: ["+254999999999 is in no range of numbers known to be in use"],
    });
    expect(stderr).toBe("");
  });
});

/** The failure of a send that must fail by usage, with nothing taken. */
async function refusal(args: readonly string[], machine: Machine = {}) {
  const before = sandbox.messages().length;
  const { code, stdout, stderr } = await send([...args, "--json"], machine);
  expect({ code, stdout, taken: sandbox.messages().length - before }).toEqual({
    code: 2,
    stdout: "",
    taken: 0,
  });
  const { error, errorCode, outcome, exitCode } = JSON.parse(stderr) as Readonly<Record<string, unknown>>;
  expect({ outcome, exitCode }).toEqual({ outcome: "unsent", exitCode: 2 });
  return { errorCode, error };
}

describe("nothing is sent where", () => {
  it.each([
    ["there is no recipient", ["-m", "Hi"], "NO_RECIPIENT", "there is no recipient"],
    [
      "the number is not one",
      ["--to", "call me", "-m", "Hi"],
      "INVALID_NUMBER",
      '"call me" cannot be read: it has the letter c in it',
    ],
    [
      "the country is not one",
      ["--to", to, "-m", "Hi", "--country", "XX"],
      "INVALID_COUNTRY",
      '"XX" is not a country',
    ],
    ["the message is empty", ["--to", to, "-m", ""], "EMPTY_MESSAGE", "the message is empty"],
    [
      "the message is blank",
      ["--to", to, "-m", " \n\u00a0"],
      "BLANK_MESSAGE",
      "the message is only white space",
    ],
    ["standard input is empty", ["--to", to], "EMPTY_MESSAGE", "the message is empty"],
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
      "two senders are given",
      ["--to", to, "-m", "a", "--sender", "ACME", "--sender-id", "5e4de00000000000000000a2"],
      "AMBIGUOUS_SENDER",
      "--sender and --sender-id are both given",
    ],
    [
      "the sender ID is malformed",
      ["--to", to, "-m", "a", "--sender-id", "ACME"],
      "INVALID_SENDER",
      '"ACME" is not a sender ID',
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
      "--message is not UTF-8 text",
    ],
    [
      "an option is given twice",
      ["--to", to, "-m", "a", "-m", "b"],
      "INVALID_OPTION",
      "--message is given twice",
    ],
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
    [
      "an argument is left over",
      ["--to", to, "-m", "Hello", "world"],
      "USAGE",
      "too many arguments for 'send'. Expected 0 arguments but got 1.",
    ],
    [
      "the key is of the other kind",
      ["--to", to, "-m", "a", "--expect", "live"],
      "UNEXPECTED_KEY",
      "--expect live is not met by SMS_API_KEY (test)",
    ],
    [
      "a live one is expected of the sandbox",
      ["--to", to, "-m", "a", "--expect", "live", "--sandbox"],
      "UNEXPECTED_KEY",
      "--expect live is not met by the sandbox",
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
      "SMS_API_KEY does not contain an API key",
    ],
    ["there is no base URL", { SMS_BASE_URL: "" }, "NO_BASE_URL", "there is no base URL"],
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
    ["there are no credentials", { SMS_API_KEY: "" }, "there are no credentials"],
    [
      "half of an account is set",
      { SMS_API_KEY: "", SMS_EMAIL: "a@example.com" },
      "SMS_EMAIL is set, but SMS_PASSWORD is not",
    ],
    [
      "the key file is not there",
      { SMS_API_KEY: "", SMS_API_KEY_FILE: "/nowhere/key" },
      "the file in SMS_API_KEY_FILE cannot be read (ENOENT): /nowhere/key",
    ],
  ])("%s: exit code 4", async (_, more, error) => {
    const { code, stderr } = await send(["--to", to, "-m", "Hi", "--json"], { environment: more });
    expect(code).toBe(4);
    expect(JSON.parse(stderr)).toMatchObject({ error, errorCode: "NO_CREDENTIALS", outcome: "unsent" });
  });
});

describe("--dry-run", () => {
  it("says what would be sent, and sends nothing", async () => {
    const before = sandbox.messages().length;
    const { code, stdout } = await send(["--to", to, "-m", "a".repeat(161), "-n", "--sender", "ACME"]);
    expect({ code, stdout, taken: sandbox.messages().length - before }).toEqual({
      code: 0,
      stdout: [
        "Dry run: nothing was sent.",
        "  To        +254712345678",
        "  From      ACME",
        "  Text      161 septets of GSM-7",
        "  Segments  2",
        "  Estimate  2 credits",
        "  Mode      test key: no phone receives it",
        "",
      ].join("\n"),
      taken: 0,
    });
  });

  it("gives a script the same as one line of JSON", async () => {
    const { stdout } = await send(["--to", to, "-m", "ж".repeat(71), "-n", "--json"]);
    expect(JSON.parse(stdout)).toEqual({
      dryRun: true,
      to,
      encoding: "UCS-2",
      units: 71,
      segments: 2,
      totalCredits: 2,
      kesPerCredit: null,
      mode: "test",
    });
  });

  it("fails where the real one would", async () => {
    expect((await send(["--to", "12", "-m", "a", "-n"])).code).toBe(2);
    expect((await send(["--to", to, "-m", "a", "-n"], { environment: { SMS_API_KEY: "" } })).code).toBe(4);
  });
});

describe("--sandbox", () => {
  it("needs no credentials and says that no phone receives it", async () => {
    const { code, stdout } = await sms(["send", "--sandbox", "--to", to, "-m", "Hi", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ newBalance: 999, to, mode: "sandbox" });
  });

  it("goes to no proxy", async () => {
    const proxy = "http://127.0.0.1:1";
    const { code } = await sms(["send", "--sandbox", "--to", to, "-m", "Hi"], {
      environment: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy },
    });
    expect(code).toBe(0);
  });
});
