import { describe, expect, it } from "vitest";
import { contextFor } from "../../src/terminal/presenter.ts";
import { openDestination } from "../../src/sending/destination.ts";
import { createRedactor } from "../../src/terminal/redact.ts";
import { sms } from "../support/machine.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { to, withSend } from "./with-send.ts";

const { file, json, lastMessage, refusal, run, sandbox, send } = withSend();

describe("sms send", () => {
  it("prints the receipt for a person", async () => {
    const { code, stdout, stderr } = await send(["--to", to, "--message", "Deploy finished"]);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: [
        "✓ Queued for +254712345678 from SANDBOX",
        `  Message     ${sandbox().messages().at(-1)?.messageId}`,
        "  Segments    1",
        "  Would cost  1 credit, KES 0.80",
        "  Balance     1,000 credits left",
        "  Mode        test key: no phone receives it (from SMS_API_KEY)",
        `  Service     ${sandbox().url} (from SMS_BASE_URL)`,
        "",
      ].join("\n"),
      stderr: "",
    });
  });

  it("says nothing of phones and charges where no phone is reached", async () => {
    for (const more of [[], ["--sandbox"]]) {
      const { code, stderr } = await send(["--to", "+254700000598", "--message", "Hi", ...more]);
      expect(code).toBe(10);
      expect(stderr).toContain("The service may have taken the message; no phone receives it.");
      expect(stderr).not.toMatch(/on the phone|charged/);
    }
  });

  it("gives a script one line of JSON, in the service's own words", async () => {
    const { code, stdout, stderr } = await send(["--to", to, "--message", "Hi", "--json"]);
    const messageId = sandbox().messages().at(-1)?.messageId;
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `{"success":true,"messageId":"${messageId}","segments":1,"totalCredits":1,"totalCostKes":0.8,"newBalance":1000,"status":"queued","to":"${to}","senderId":"SANDBOX","mode":"test","outcome":"accepted"}\n`,
      stderr: "",
    });
  });

  it("says that an account was used", async () => {
    const environment = { SMS_API_KEY: "", SMS_EMAIL: "sandbox@example.com", SMS_PASSWORD: "sandbox-pass-4010" };
    const { stdout } = await send(["--to", to, "--message", "Hi"], { environment });
    expect(stdout).toContain(
      "  Mode        account credentials in a sandbox: no phone receives it; a real\n              send would be charged (from SMS_EMAIL and SMS_PASSWORD)\n",
    );
  });
});

describe("--dry-run", () => {
  it("says what would be sent, and sends nothing", async () => {
    const before = sandbox().messages().length;
    const { code, stdout } = await send(["--to", to, "-m", "a".repeat(161), "-n", "--sender", "ACME"]);
    expect({ code, stdout, taken: sandbox().messages().length - before }).toEqual({
      code: 0,
      stdout: [
        "Dry run: nothing was sent.",
        "  TEST      1 message; no phone receives it",
        "            2 segments; a live key would be charged 2 credits",
        "",
        "  To        +254712345678",
        "  From      ACME",
        `  Text      ${"a".repeat(161)}`,
        "  Encoding  GSM-7, 161 septets",
        "  Key       sk_test_…dbox (from SMS_API_KEY)",
        `  Base URL  ${sandbox().url} (from SMS_BASE_URL)`,
        "",
      ].join("\n"),
      taken: 0,
    });
  });

  it("gives a script the same as one line of JSON", async () => {
    const message = "ж".repeat(71);
    const { stdout } = await send(["--to", to, "-m", message, "-n", "--json"]);
    const text = { message, encoding: "UCS-2", units: 71, segments: 2, totalCredits: 2, kesPerCredit: null };
    const service = { mode: "test", baseUrl: sandbox().url, key: { name: null, shown: "sk_test_…dbox" } };
    expect(JSON.parse(stdout)).toEqual({ dryRun: true, to, ...text, ...service, guards: [] });
  });

  it("needs no credentials, and then knows no mode, key and price", async () => {
    const environment = { SMS_API_KEY: undefined, SMS_BASE_URL: undefined };
    const { code, stdout } = await send(["--to", to, "-m", "a", "-n", "--once", "a", "--json"], { environment });
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ mode: null, baseUrl: null, key: null, kesPerCredit: null });
    const expecting = await send(["--to", to, "-m", "a", "-n", "--expect", "live"], { environment });
    expect(expecting.code).toBe(4);
  });
});

describe("what listens on this machine and does not say that it is a sandbox", () => {
  it.each<[string, Script]>([
    ["knows no /healthz", answer(404, {})],
    ["is another server", answer(200, { status: "ok" }, { Server: "nginx" })],
    ["cuts the connection", (socket) => socket.destroy()],
  ])("leads to real phones: it %s", async (_, onHealth) => {
    const server = await startScriptedServer({ onRequest: accept(), onHealth });
    const environment = { SMS_BASE_URL: server.url, SMS_API_KEY: "sk_live_a" };
    const args = ["--to", to, "-m", "Hi"];
    const sent = await send(args, { environment });
    expect(sent.stdout).toContain("  Mode      live key: real phones, charged (from SMS_API_KEY)\n");
    const planned = await send([...args, "--dry-run"], { environment });
    expect(planned.stdout).toContain("  LIVE      1 message, to a real phone\n");
    expect(server.requests).toHaveLength(1);
  });
});

describe("--sandbox", () => {
  it("needs no credentials and says that no phone receives it", async () => {
    const { code, stdout } = await sms(["send", "--sandbox", "--to", to, "-m", "Hi", "--json"]);
    expect(code).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({ newBalance: 999, to, mode: "sandbox" });
    expect((await sms(["send", "--sandbox", "--to", to, "-m", "Hi"])).stdout).toMatch(
      /  Segments    1\n  Would cost  1 credit, KES 0.80\n  Balance     999 credits left\n/,
    );
  });

  it("takes the country, sender and lists of the profile, and leaves its credentials alone", async () => {
    const environment = { SMS_API_KEY: undefined, SMS_BASE_URL: undefined };
    const shop = ["--profile", "shop"];
    const login = ["login", ...shop, "--base-url", sandbox().url, "--with-key", "--no-verify"];
    await run([...login, "--sender", "SHOP", "--country", "KE"], { environment, stdin: "sk_live_a\n" });
    await run(["profiles", "set", "only-to", `${to},+254712345670`, ...shop]);
    const sendTo = (...args: readonly string[]) => json(["send", "--sandbox", ...shop, "-m", "Hi", ...args]);
    const accepted = { code: 0, value: { to, senderId: "SHOP", mode: "sandbox" } };
    expect(await sendTo("--to", "0712 345678")).toMatchObject(accepted);
    expect((await sendTo("--to", "+254712345679")).value).toMatchObject({ errorCode: "NOT_ONLY_TO" });
    expect((await sendTo("--to", to, "-s", "a".repeat(24))).value).toMatchObject({ senderId: "a".repeat(24) });
  });

  it("shows its messages to no other user of the machine", async () => {
    await sms([], {}, async (_, host) => {
      const options = { json: false, quiet: true, verbose: false, color: false, input: false, yes: false };
      const context = await contextFor(host, createRedactor(), options);
      const { address, close } = await openDestination(undefined, undefined, context, 1);
      const { status } = await fetch(`${address.origin}/_sandbox/messages`);
      await close();
      expect(status).toBe(401);
      return 0;
    });
  });

  it("goes to no proxy", async () => {
    const proxy = "http://127.0.0.1:1";
    const environment = { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy };
    const { code } = await sms(["send", "--sandbox", "--to", to, "-m", "Hi"], { environment });
    expect(code).toBe(0);
  });
});

describe("the text of a message", () => {
  it.each([
    ["from --message", ["-m", " two  spaces\n"], "", " two  spaces"],
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
    const failure = { errorCode: "NOT_UTF8", error: `${path} is not UTF-8 text` };
    expect(await refusal(["--to", to, "--message-file", path])).toEqual(failure);
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
    const error = "the message contains {{name}}, and a recipient given with --to has no fields to fill it";
    expect(await refusal(args)).toEqual({ errorCode: "UNFILLED_FIELD", error });
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
    expect(code).toBe(0);
    expect(stderr).toContain("Warning   --segments left 94 characters out of 1 row\n");
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
      "an identifier in --sender before SMS_SENDER",
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
