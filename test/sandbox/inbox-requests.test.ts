import { spawnSync } from "node:child_process";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown } from "./inbox-browser.ts";
import { accountLogin, ask, hello, liveKey, post, runSandbox, tell, testKey } from "./running.ts";

const clipboard = { permissions: ["clipboard-read", "clipboard-write"] };

describe("the requests in the inbox", needs("Chromium"), () => {
  it("tell a developer why no message came: wrong path, wrong header, wrong number", async () => {
    const sandbox = await runSandbox();
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    const headers = { authorization: testKey, "content-type": "application/json" };
    await fetch(`${sandbox.url}/api/sms/send`, { method: "POST", headers, body: JSON.stringify(hello) });
    await expectShown(page, "#empty a").toEqual(["1 request became no message: see why"]);
    await page.click("#empty a");
    await expectShown(page, "#requests .snippet").toEqual([
      "Nothing is served at this path: send with POST /api/v1/sms/send",
    ]);
    await post(sandbox, hello, { authorization: "", "x-api-key": "sk_live_mine1234" });
    await post(sandbox, { ...hello, to: "0712 345 678" });
    await post(sandbox, hello, { authorization: liveKey });
    await expectShown(page, "#requests li").toEqual([
      "200 POST /api/v1/sms/send\n1 Jan, 00:00:00\nAccepted with a live key: 1 segment",
      "400 POST /api/v1/sms/send\n1 Jan, 00:00:00\n" +
        'to must be a phone number in E.164 format, such as +254712345678; it is "0712 345 678"',
      "401 POST /api/v1/sms/send\n1 Jan, 00:00:00\n" +
        'The header x-api-key is not read: the key belongs in "Authorization: Bearer sk_test_sandbox"',
      "404 POST /api/sms/send\n1 Jan, 00:00:00\nNothing is served at this path: send with POST /api/v1/sms/send",
    ]);
    await expectShown(page, "#failed").toEqual(["3 failed"]);
    await page.keyboard.press("j");
    await expectShown(page, "#exchange h2").toEqual(["POST /api/v1/sms/send"]);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#exchange:focus").count()).toBe(1);
    // Scrolls the request, and opens no other.
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("j");
    await page.keyboard.press("j");
    await expectShown(page, "#exchange .reason").toEqual([expect.stringContaining("The header x-api-key")]);
    const [request = "", answer = ""] = await page.locator("#exchange pre").allInnerTexts();
    expect(request).toMatch(/^POST \/api\/v1\/sms\/send HTTP\/1\.1\n/);
    expect(request).toContain("x-api-key: sk_live_…1234");
    expect(request).toMatch(/\n\n\{"to":"\+254712345678","message":"Hello"\}$/);
    expect(answer).toMatch(/^HTTP\/1\.1 401\n[^]*\n\n\{"error":"Invalid credentials"/);
    await page.fill("#search", "e.164 format");
    await expectShown(page, "#requests .status").toEqual(["400"]);
    await page.fill("#search", "from:sandbox");
    await expectShown(page, "#requests .status").toEqual(["200"]);
  });

  it("are shown as soon as they end, also where a refusal led to one before", async () => {
    const sandbox = await runSandbox();
    await tell(sandbox, "faults", { faults: "latency:60000" });
    const page = await open(sandbox.url);
    const client = new AbortController();
    const sending = fetch(`${sandbox.url}/api/v1/sms/send`, {
      method: "POST",
      headers: { authorization: testKey, "content-type": "application/json" },
      body: '{"to":"07"}',
      signal: client.signal,
    }).catch(() => "given up");
    await page.click("#conversations a");
    await page.click("#entries .facts a");
    await expectShown(page, "main h2").toEqual(["No such request"]);
    client.abort();
    await sending;
    await expectShown(page, "main h2").toEqual(["POST /api/v1/sms/send"]);
  });

  it("are copied as commands that send the same again, and have addresses", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, message: "it's <b>$HOME</b>\nnow", senderIdName: "ACME" });
    const page = await open(`${sandbox.url}/#request=1`, clipboard);
    const copy = (label: string) => copyOf(page, label);
    expect(await copy("Copy as sms send")).toBe(
      `SMS_BASE_URL=${sandbox.url} sms send --to +254712345678 --sender ACME --message 'it'\\''s <b>$HOME</b>\nnow'`,
    );
    const address = `${sandbox.url}/#request=1&at=2030-01-01T00:00:00.000Z`;
    expect([await copy("Copy link"), page.url()]).toEqual([address, address]);
    const curl = await copy("Copy as curl");
    expect(curl).toContain('--header "authorization: Bearer $SMS_API_KEY"');
    const words = curl.replaceAll(/^curl/g, "printf '%s\\n'");
    const { stdout } = spawnSync("sh", ["-c", words], { env: { SMS_API_KEY: "sk_test_sandbox" }, encoding: "utf8" });
    const [, body = ""] = stdout.split("--data-raw\n");
    expect(stdout).toContain("\nauthorization: Bearer sk_test_sandbox\n");
    expect((await post(sandbox, body.trimEnd())).status).toBe(200);
    expect((await ask(sandbox, "messages?since=message-1"))[1]).toMatchObject([{ message: "it's <b>$HOME</b>\nnow" }]);
    await page.click("#exchange .facts a");
    await expectShown(page, "#recipient").toEqual([hello.to]);
    await page.goto(address);
    await expectShown(page, "#requests a[aria-current] .status").toEqual(["200"]);
    await expectShown(page, "main h2").toEqual(["POST /api/v1/sms/send"]);
    await page.getByRole("button", { name: "Copy link" }).focus();
    await fetch(`${sandbox.url}/_sandbox/messages?id=message-2`, { method: "DELETE" });
    await expectShown(page, "#account").toEqual([expect.stringMatching("^1 message ")]);
    expect(await page.locator(":focus").innerText()).toBe("Copy link");
    // After a restart, another request has its number.
    for (const gone of [`${sandbox.url}/#request=99`, address.replace("2030", "2029")]) {
      await page.goto(gone);
      await expectShown(page, "main h2").toEqual(["No such request"]);
    }
    await page.click("#no-request a");
    await expectShown(page, "main h2").toEqual(["Choose a request"]);
  });

  it("are copied without a control character that drives a terminal, and still send the same", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, message: hostile });
    await post(sandbox, `{"to":"${hostile}"}`, { "x-c1": "\u009b6n" });
    const page = await open(`${sandbox.url}/#request=1`, clipboard);
    const run = async (label: string) => {
      const command = await copyOf(page, label);
      expect(command).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u202E]/);
      const shown = 'curl() { printf "<%s>" "$@"; }; sms() { printf "<%s>" "$@"; }; ';
      return spawnSync("sh", ["-c", shown + command], { encoding: "utf8" }).stdout;
    };
    expect(await run("Copy as sms send")).toContain(`<--message><${hostile}>`);
    expect(await run("Copy as curl")).toContain(`<--data-raw><${JSON.stringify({ ...hello, message: hostile })}>`);
    await page.goto(`${sandbox.url}/#request=2`);
    await expectShown(page, "#exchange .reason").toEqual([expect.stringContaining("JSON")]);
    expect(await run("Copy as curl")).toMatch(/<x-c1: \u009b6n>.*<--data-raw><\{"to":"it's \u001b\[201~\r\n\t/s);
  });

  it("are copied so that curl and sms change nothing", async () => {
    const sandbox = await runSandbox();
    const address = `${sandbox.url}/api/v1/sms/send?to[1-3]=/../x`;
    const senderId = "5e4de00000000000000000a2";
    const body = new Blob([JSON.stringify({ ...hello, message: "Hi {{name}}", senderId })]);
    await fetch(address, { method: "POST", headers: { authorization: accountLogin }, body });
    await fetch(`${sandbox.url}/none`, { method: "HEAD" });
    await post(sandbox, { ...hello, message: "-10% for @you" }, { authorization: "", "x-auth": "Bearer" });
    const page = await open(`${sandbox.url}/#request=1`, clipboard);
    const lines = (await copyOf(page, "Copy as curl")).split(" \\\n  ");
    expect(lines[0]).toBe(`curl --request POST --globoff --path-as-is '${address}'`);
    expect(lines).toEqual(expect.arrayContaining(['--user "$SMS_EMAIL:$SMS_PASSWORD"', "--header Content-Type:"]));
    expect(await copyOf(page, "Copy as sms send")).toBe(
      `SMS_BASE_URL=${sandbox.url} sms send --to +254712345678 --sender ${senderId} --literal --message 'Hi {{name}}'`,
    );
    await page.goto(`${sandbox.url}/#request=2`);
    await expectShown(page, "#exchange h2").toEqual(["HEAD /none"]);
    expect(await copyOf(page, "Copy as curl")).toMatch(/^curl --head http/);
    await page.goto(`${sandbox.url}/#request=3`);
    await expectShown(page, "#exchange h2").toEqual(["POST /api/v1/sms/send"]);
    expect(await copyOf(page, "Copy as curl")).toMatch(/'authorization;' .*'x-auth: Bearer'/s);
    expect(await copyOf(page, "Copy as sms send")).toBe(
      `printf %s '-10% for @you' | SMS_BASE_URL=${sandbox.url} sms send --to +254712345678 --message -`,
    );
  });
});

/** Ends a bracketed paste, completes a word, reports the cursor, and reverses the text direction. */
const hostile = "it's \u001b[201~\r\n\treboot\u0007 \u009b6n\u202e \u200bend";

async function copyOf(page: Page, label: string): Promise<string> {
  await page.getByRole("button", { name: label }).click();
  await expectShown(page, ".copy").toEqual(expect.arrayContaining(["Copied"]));
  return page.evaluate<string>("navigator.clipboard.readText()");
}
