import { describe, expect, it } from "vitest";
import { contextFor } from "../../src/terminal/presenter.ts";
import { openDestination } from "../../src/sending/destination.ts";
import { createRedactor } from "../../src/terminal/redact.ts";
import { sms } from "../support/machine.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { to, withSend } from "./with-send.ts";

const { json, run, sandbox, send } = withSend();

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
    const lost = ["--to", "+254700000598", "--message", "Hi"];
    for (const args of [
      ["send", ...lost],
      ["send", "--sandbox", ...lost],
    ]) {
      const { code, stderr } = await run(args, {
        environment: { SMS_BASE_URL: sandbox().url, SMS_API_KEY: "sk_test_sandbox" },
      });
      expect(code).toBe(10);
      expect(stderr).toContain("The service may have taken the message; no phone receives it.");
      expect(stderr).not.toMatch(/on the phone|charged/);
    }
  });

  it("gives a script one line of JSON, in the service's own words", async () => {
    const { code, stdout, stderr } = await send(["--to", to, "--message", "Hi", "--json"]);
    const [messageId] = sandbox()
      .messages()
      .slice(-1)
      .map((message) => message.messageId);
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `{"success":true,"messageId":"${messageId}","segments":1,"totalCredits":1,"totalCostKes":0.8,"newBalance":1000,"status":"queued","to":"${to}","senderId":"SANDBOX","mode":"test","outcome":"accepted"}\n`,
      stderr: "",
    });
  });

  it("says that an account was used", async () => {
    const environment = { SMS_API_KEY: "", SMS_EMAIL: "sandbox@example.com", SMS_PASSWORD: "sandbox" };
    const { stdout } = await send(["--to", to, "--message", "Hi"], { environment });
    expect(stdout).toContain(
      "  Mode        account credentials in a sandbox: no phone receives it; a real send would be charged (from SMS_EMAIL and SMS_PASSWORD)\n",
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
      guards: [],
      message: "ж".repeat(71),
      baseUrl: sandbox().url,
      key: { name: null, shown: "sk_test_…dbox" },
    });
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
      const { address, close } = await openDestination(undefined, undefined, context);
      const { status } = await fetch(`${address.origin}/_sandbox/messages`);
      await close();
      expect(status).toBe(401);
      return 0;
    });
  });

  it("goes to no proxy", async () => {
    const proxy = "http://127.0.0.1:1";
    const { code } = await sms(["send", "--sandbox", "--to", to, "-m", "Hi"], {
      environment: { HTTP_PROXY: proxy, HTTPS_PROXY: proxy, http_proxy: proxy },
    });
    expect(code).toBe(0);
  });
});
