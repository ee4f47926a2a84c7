import { describe, expect, it } from "vitest";
import { to, withSend } from "./with-send.ts";

const { file, lastMessage, refusal, send } = withSend();

describe("the text of a message", () => {
  it.each([
    ["from --message as it is", ["-m", " two  spaces\n"], "", " two  spaces\n"],
    ["from standard input, without its final newline", [], "Disk full on db1\n", "Disk full on db1"],
    ["from standard input for --message-file -", ["--message-file", "-"], "piped", "piped"],
    ["without a byte order mark", [], "\ufeffpiped", "piped"],
    ["from --message, leaving standard input alone", ["-m", "flag"], "piped", "flag"],
    ["from --message=, like an option as well", ["--message=--help"], "", "--help"],
  ])("comes %s", async (_, args, stdin, message) => {
    expect((await send(["--to", to, ...args], { stdin })).code).toBe(0);
    expect(lastMessage()).toEqual({ to, senderId: "SANDBOX", message });
  });

  it.each([
    ["little end first", Buffer.from("\ufeffJ\u00fcrgen €\r\n", "utf16le")],
    ["big end first", Buffer.from("\ufeffJ\u00fcrgen €\r\n", "utf16le").swap16()],
  ])("comes from a file in UTF-16 with a mark, %s", async (_, bytes) => {
    expect((await send(["--to", to, "--message-file", file("note.txt", bytes)])).code).toBe(0);
    expect(lastMessage().message).toBe("J\u00fcrgen €");
  });

  it("is refused if it is not UTF-8", async () => {
    const path = file("latin1.txt", Uint8Array.of(0x67, 0xfc, 0x6e));
    expect(await refusal(["--to", to, "--message-file", path])).toEqual({
      errorCode: "NOT_UTF8",
      error: `${path} is not UTF-8 text`,
    });
  });

  it("has its look-alikes replaced with --gsm7, which says so", async () => {
    const { stderr } = await send(["--to", to, "-m", "It’s 5 – 6 “now”…", "--gsm7"]);
    expect(lastMessage().message).toBe('It\'s 5 - 6 "now"...');
    expect(stderr).toBe('Warning: replaced for GSM-7: ’ by \', – by -, “ by ", ” by ", … by ...\n');
  });

  it("warns when look-alikes raise the cost, and sends the text unchanged", async () => {
    const text = `It’s ${"a".repeat(100)}`;
    const { stderr } = await send(["--to", to, "-m", text]);
    expect(lastMessage().message).toBe(text);
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
    expect(lastMessage().message).toBe("Hi {{name}}");
  });

  it("is not the name of a file as curl takes it, unless --literal or standard input says so", async () => {
    const args = ["--to", to, "-m", "@note.txt"];
    expect(await refusal(args)).toMatchObject({ error: '--message "@note.txt" would be sent as written' });
    expect(await send([...args, "--literal"])).toMatchObject({ code: 0 });
    expect(await send(["--to", to, "-m", "@5 at the gate"])).toMatchObject({ code: 0, stderr: "" });
  });

  it("is cut to --segments, on each row that is longer", async () => {
    const rows = file("names.csv", `to,name\n${to},Asha\n+254712345679,${"Wanjiru ".repeat(30)}\n`);
    const args = ["--recipients", rows, "--yes", "--rate", "60000", "--segments", "1", "-m", "Hi {{name}} there"];
    const { code, stderr } = await send(args);
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: expect.stringContaining("Warning   --segments left 94 characters out of 1 row\n"),
    });
    expect(lastMessage().message).toBe(`Hi ${"Wanjiru ".repeat(19)}...`.replace(" ...", "..."));
  });
});

describe("the recipient and the sender", () => {
  it.each([
    ["--country", ["--country", "ke"], {}],
    ["--country before SMS_COUNTRY", ["--country", "KE"], { SMS_COUNTRY: "US" }],
  ])("are read in the country of %s", async (_, args, more) => {
    await send(["--to", "0712 345678", "-m", "Hi", ...args], { environment: more });
    expect(lastMessage().to).toBe(to);
  });

  it.each([
    ["--sender", ["--sender", "ACME"], {}],
    ["--sender before SMS_SENDER", ["--sender", "ACME"], { SMS_SENDER: "SANDBOX" }],
    [
      "--sender with an identifier before SMS_SENDER",
      ["--sender", "5e4de00000000000000000a2"],
      { SMS_SENDER: "SANDBOX" },
    ],
  ])("are named by %s", async (_, args, more) => {
    await send(["--to", to, "-m", "Hi", ...args], { environment: more });
    expect(lastMessage().senderId).toBe("ACME");
  });

  it("say at a terminal that what is piped beside the text is not sent", async () => {
    const piped = { stdin: "Disk full", isTerminal: true };
    const { stderr } = await send(["--to", to, "-m", "Hi"], piped);
    expect(stderr).toMatch(
      /^Warning: what is piped to standard input is not sent, because --message has the\n {2}text\n/,
    );
    for (const [args, machine] of [
      [["-m", "-"], piped],
      [["-m", "Hi"], { ...piped, isTerminal: false }],
    ] as const)
      expect((await send(["--to", to, ...args], machine)).stderr).not.toContain("Warning");
  });
});

describe("nothing is sent if", () => {
  it.each([
    ["there is no recipient", ["-m", "Hi"], "NO_RECIPIENT", "there is no recipient"],
    ["the message is empty", ["--to", to, "-m", ""], "EMPTY_MESSAGE", "the message is empty"],
    ["standard input is empty", ["--to", to], "EMPTY_MESSAGE", "there is no message: standard input was empty"],
    [
      "an empty variable made a flag with a value the text",
      ["--to", to, "--message", "--sender=ACME"],
      "INVALID_OPTION",
      "--message has no value: --sender=ACME follows it",
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
});
