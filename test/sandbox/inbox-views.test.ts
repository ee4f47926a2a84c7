import axe from "axe-core";
import { spawnSync } from "node:child_process";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openOwnPage, openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown, threadOf } from "./inbox-browser.ts";
import { accountLogin, ask, hello, liveKey, post, runSandbox, sendAs, tell, testKey } from "./running.ts";

describe("the requests in the inbox", needs("Chromium"), () => {
  it("tell a developer why no message came: wrong path, wrong header, wrong number", async () => {
    const sandbox = await runSandbox();
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    const headers = { authorization: testKey, "content-type": "application/json" };
    await fetch(`${sandbox.url}/api/sms/send`, { method: "POST", headers, body: JSON.stringify(hello) });
    await expectShown(page, "#empty a").toEqual(["1 request became no message: see why"]);
    await page.click("#empty a");
    const wrongPath = "Nothing is served at this path: send with POST /api/v1/sms/send";
    await expectShown(page, "#requests .snippet").toEqual([wrongPath]);
    await post(sandbox, hello, { authorization: "", "x-api-key": "sk_live_mine1234" });
    await post(sandbox, { ...hello, to: "0712 345 678" });
    await post(sandbox, hello, { authorization: liveKey });
    await expectShown(page, "#requests li").toEqual([
      `200\n${hello.to}\n1 Jan, 00:00:00\nHello`,
      "400\n0712 345 678\n1 Jan, 00:00:00\nHello\n" +
        "to must be a phone number in E.164 format, such as +254712345678",
      `401\n${hello.to}\n1 Jan, 00:00:00\nHello\n` +
        'No key came in the header Authorization, and none is read elsewhere: send "Authorization: Bearer sk_test_sandbox"',
      `404\nPOST /api/sms/send\n1 Jan, 00:00:00\n${wrongPath}`,
    ]);
    await page.keyboard.press("ArrowDown");
    await expectShown(page, "#exchange h2").toEqual(["POST /api/v1/sms/send"]);
    await page.keyboard.press("Enter");
    await expect.poll(() => page.locator("#exchange:focus").count()).toBe(1);
    // Scrolls the request, and opens no other.
    await page.keyboard.press("ArrowDown");
    await expectShown(page, "#exchange h2").toEqual(["POST /api/v1/sms/send"]);
    await page.locator("#requests a").nth(2).click();
    await expectShown(page, "#exchange .reason").toEqual([expect.stringContaining("No key came in the header")]);
    const [request = "", answer = ""] = await page.locator("#exchange pre").allInnerTexts();
    expect(request).toMatch(/^POST \/api\/v1\/sms\/send HTTP\/1\.1\n/);
    expect(request).toContain("x-api-key: sk_live_…1234");
    expect(request).toMatch(/\n\n\{\n  "to": "\+254712345678",\n  "message": "Hello"\n\}$/);
    expect(answer).toMatch(/^HTTP\/1\.1 401\n[^]*\n\n\{\n  "error": "Invalid credentials"/);
    await page.fill("#search", "e.164 format");
    await expectShown(page, "#requests .status").toEqual(["400"]);
  });

  it("are shown as soon as they end, also where a refusal led to one before", async () => {
    const sandbox = await runSandbox();
    await tell(sandbox, "account", { faults: "latency:60000" });
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
    const page = await open(`${sandbox.url}/#request=1`);
    const copy = (label: string) => copyOf(page, label);
    const address = `${sandbox.url}/#request=1&at=2030-01-01T00:00:00.000Z`;
    await expect.poll(() => page.url()).toBe(address);
    const curl = await copy("Copy as curl");
    expect(curl).toContain('--header "authorization: Bearer $SMS_API_KEY"');
    const words = curl.replaceAll(/^curl/g, "printf '%s\\n'");
    const { stdout } = spawnSync("sh", ["-c", words], { env: { SMS_API_KEY: "sk_test_sandbox" }, encoding: "utf8" });
    const [, body = ""] = stdout.split("--data-raw\n");
    expect(stdout).toContain("\nauthorization: Bearer sk_test_sandbox\n");
    expect((await post(sandbox, body.trimEnd())).status).toBe(200);
    expect((await ask(sandbox, "messages?since=message-1"))[1]).toMatchObject([{ message: "it's <b>$HOME</b>\nnow" }]);
    await page.click("#exchange .facts a >> nth=0");
    await expectShown(page, "#recipient").toEqual([hello.to]);
    await page.goto(address);
    await expectShown(page, "#requests a[aria-current] .status").toEqual(["200"]);
    await expectShown(page, "main h2").toEqual(["POST /api/v1/sms/send"]);
    await page.getByRole("button", { name: "Copy as curl" }).focus();
    await fetch(`${sandbox.url}/_sandbox/messages?id=message-2`, { method: "DELETE" });
    await post(sandbox, hello);
    await expectShown(page, "#counts").toEqual([expect.stringContaining("3 sent")]);
    expect(await page.locator(":focus").innerText()).toBe("Copy as curl");
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
    const page = await open(`${sandbox.url}/#request=1`);
    const run = async (label: string) => {
      const command = await copyOf(page, label);
      expect(command).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u202E]/);
      const shown = 'curl() { printf "<%s>" "$@"; }; ';
      return spawnSync("sh", ["-c", shown + command], { encoding: "utf8" }).stdout;
    };
    expect(await run("Copy as curl")).toContain(`<--data-raw><${JSON.stringify({ ...hello, message: hostile })}>`);
    await page.goto(`${sandbox.url}/#request=2`);
    await expectShown(page, "#exchange .reason").toEqual([expect.stringContaining("JSON")]);
    expect(await run("Copy as curl")).toMatch(/<x-c1: \u009b6n>.*<--data-raw><\{"to":"it's \u001b\[201~\r\n\t/s);
  });

  it("are copied so that curl changes nothing", async () => {
    const sandbox = await runSandbox();
    const address = `${sandbox.url}/api/v1/sms/send?to[1-3]=/../x`;
    const body = new Blob([JSON.stringify(hello)]);
    await fetch(address, { method: "POST", headers: { authorization: accountLogin }, body });
    await fetch(`${sandbox.url}/none`, { method: "HEAD" });
    await post(sandbox, hello, { authorization: "", "x-auth": "Bearer" });
    const page = await open(`${sandbox.url}/#request=1`);
    const lines = (await copyOf(page, "Copy as curl")).split(" \\\n  ");
    expect(lines[0]).toBe(`curl --request POST --globoff --path-as-is '${address}'`);
    expect(lines).toEqual(expect.arrayContaining(['--user "$SMS_EMAIL:$SMS_PASSWORD"', "--header Content-Type:"]));
    await page.goto(`${sandbox.url}/#request=2`);
    await expectShown(page, "#exchange h2").toEqual(["HEAD /none"]);
    expect(await copyOf(page, "Copy as curl")).toMatch(/^curl --head http/);
    await page.goto(`${sandbox.url}/#request=3`);
    await expectShown(page, "#exchange h2").toEqual(["POST /api/v1/sms/send"]);
    expect(await copyOf(page, "Copy as curl")).toMatch(/'authorization;' .*'x-auth: Bearer'/s);
  });
});

/** Ends a bracketed paste, completes a word, reports the cursor, and reverses the text direction. */
const hostile = "it's \u001b[201~\r\n\treboot\u0007 \u009b6n\u202e \u200bend";

async function copyOf(page: Page, label: string): Promise<string> {
  await page.getByRole("button", { name: label }).click();
  await expectShown(page, ".copy").toEqual(expect.arrayContaining(["Copied"]));
  return page.evaluate<string>("navigator.clipboard.readText()");
}

describe("the faults in the inbox", needs("Chromium"), () => {
  it("are set and seen everywhere; a reset restores all", async () => {
    const sandbox = await runSandbox();
    const page = await open(`${sandbox.url}/#faults`);
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await page.click("#custom summary");
    const names = await page.locator("#fault-list b").allInnerTexts();
    for (const name of names) await page.getByLabel(`Share of ${name} in percent`).fill("7");
    await page.getByLabel("Share of 500 in percent").fill("2.5");
    await page.getByLabel("Least latency in ms").fill("1");
    await page.keyboard.press("Enter");
    const shares = names.map((name) => (name === "500" ? "500:2.5%" : `${name}:7%`));
    const faults = [...shares, "latency:1..1"].join(",");
    await expectShown(page, "#active").toEqual([`Faults: ${faults}`]);
    expect(await ask(sandbox, "account")).toMatchObject([200, { faults }]);
    for (const [label, typed, problem] of [
      ["Share of 500 in percent", "50", "more than 100%"],
      ["Share of 500 in percent", "-5", "a share above 0%"],
      ["Least latency in ms", "500", '"latency:500..1" is not'],
    ] as const) {
      await page.getByLabel(label).fill(typed);
      await page.keyboard.press("Enter");
      await expectShown(page, "#problem").toEqual([expect.stringContaining(problem)]);
      expect(await ask(sandbox, "account")).toMatchObject([200, { faults }]);
      await page.getByLabel(label).fill(label.startsWith("Share") ? "2.5" : "1");
      await page.keyboard.press("Enter");
      await expectShown(page, "#problem").toEqual([]);
    }
    await press("Down");
    await expectShown(page, "#active").toEqual(["Faults: 503:100%"]);
    expect((await post(sandbox, hello)).status).toBe(503);
    await page.getByLabel("Credits").fill("0");
    await page.keyboard.press("Enter");
    await expectShown(page, "#balance").toEqual(["0 left"]);
    await tell(sandbox, "account", { faults: "none" });
    await expectShown(page, "#active").toEqual([]);
    expect(await sendAs(sandbox, liveKey)).toBe("402 INSUFFICIENT_CREDITS");
    const asked = page.waitForEvent("dialog");
    page.once("dialog", (dialog) => void dialog.accept());
    await press("Reset the sandbox");
    expect((await asked).message()).toContain("delete all messages");
    await expectShown(page, "#balance").toEqual(["100 left"]);
    expect(await sendAs(sandbox, liveKey, hello)).toBe("200");
    await expect.poll(() => page.getByLabel("Credits").inputValue()).toBe("99");
    await page.getByLabel("Share of 500 in percent").fill(".5");
    await page.keyboard.press("Enter");
    await expectShown(page, "#active").toEqual(["Faults: 500:0.5%"]);
  });
});

/** Its answer is cut, which the page shows in a colour of its own. */
const broken = "+254700000598";

describe("the layout of the inbox", needs("Chromium"), () => {
  it("shows the list or one conversation on a phone, within its width", async () => {
    const sandbox = await runSandbox();
    const text = "A text in place of the number. ".repeat(40);
    await post(sandbox, { to: text, message: hello.to });
    const page = await open(threadOf(sandbox, text));
    await page.setViewportSize({ width: 390, height: 844 });
    await expect.poll(async () => ((await page.locator(".why").boundingBox())?.y ?? 844) < 200).toBe(true);
    await fetch(`${sandbox.url}/_sandbox/messages`, { method: "DELETE" });
    await post(sandbox, { ...hello, message: `https://example.com/${"long".repeat(40)}` });
    await page.goto(sandbox.url);
    await expectShown(page, "nav, main > *").toEqual([expect.stringContaining(hello.to)]);
    expect(await page.evaluate(tooWide)).toBe(0);
    await page.locator("#conversations a").click();
    await expectShown(page, "nav, #recipient").toEqual([hello.to]);
    expect(await page.evaluate(tooWide)).toBe(0);
    await tell(sandbox, "account", { faults: "reset-after:10%" });
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 640 });
      await expectShown(page, "body > header > *, #recipient").toEqual([
        "sms sandbox",
        "Faults: reset-after:10%",
        hello.to,
      ]);
      expect(await page.locator("#active").boundingBox()).toMatchObject({ x: 0, y: 0, width });
      expect(await page.evaluate("document.elementFromPoint(20, 10).id")).toBe("active");
    }
    await tell(sandbox, "account", { faults: "none" });
    await expectShown(page, "#active").toEqual([]);
    expect((await page.locator("#back").boundingBox())?.y).toBeLessThan(20);
    await page.locator("#back").click();
    await expectShown(page, "nav, #recipient").toEqual([expect.stringContaining("1 Jan")]);
  });

  it.each([
    [320, "light", true],
    [390, "dark", true],
    [768, "light", false],
    [850, "dark", false],
    [1000, "light", false],
    [1440, "dark", false],
  ] as const)(
    "has no findings of axe at %i pixels, %s, touched: %s",
    needs("CI to be set"),
    async (width, colorScheme, isTouched) => {
      const sandbox = await runSandbox();
      const page = await openOwnPage(sandbox.url, {
        viewport: { width, height: 640 },
        colorScheme,
        hasTouch: isTouched,
      });
      const check = async (address: string, selector: string) => {
        await page.goto(`${sandbox.url}/${address}`);
        const isShown = () => page.locator(selector).first().isVisible();
        await expect.poll(async () => (await isShown()) || (await page.innerText("body"))).toBe(true);
        await page.evaluate(axe.source);
        const found = await page.evaluate<readonly string[]>(
          "axe.run({ rules: { 'target-size': { enabled: true } } })" +
            ".then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html)))",
        );
        expect([
          address,
          ...found,
          ...(await page.evaluate<readonly string[]>(smallTargets(isTouched ? 44 : 24))),
        ]).toEqual([address]);
        expect(await page.evaluate(tooWide)).toBe(0);
        expect(await page.evaluate(besideNumber)).toEqual([]);
      };
      await check("", "#empty");
      await check("#requests", "#no-requests");
      await post(sandbox, { ...hello, to: "+254700000402" });
      await post(sandbox, { ...hello, message: "a".repeat(400) });
      await post(sandbox, { ...hello, senderIdName: "OTHER" });
      await post(sandbox, { ...hello, to: broken, message: "\u0007" }).catch(() => {});
      await post(sandbox, { ...hello, to: "+254712345670" }, { authorization: "" });
      await page.goto("about:blank");
      await check("", "#conversations a");
      for (const to of [hello.to, broken]) {
        await page.goto("about:blank");
        await check(`#to=${encodeURIComponent(to)}`, "#entries");
      }
      await tell(sandbox, "account", { faults: "500:5%,reset-after:10%,hang:2%,latency:5..30" });
      await page.goto("about:blank");
      await check("#request=2", "#exchange");
      await page.goto("about:blank");
      await check("#message=gone", "#no-message");
      await page.goto("about:blank");
      await check("#request=99", "#no-request");
      await page.goto("about:blank");
      await check("#faults", "#fault-list");
      await page.goto("about:blank");
      await check("#requests", "#requests a");
      await sandbox.close();
      await expectShown(page, "#connection").toEqual(["The sandbox has stopped"]);
      await page.click("#requests a");
      await expectShown(page, "#exchange .problem").toEqual(["It cannot be loaded: the sandbox has stopped"]);
      expect(await page.locator(".back").filter({ visible: true }).count()).toBe(width < 768 ? 1 : 0);
    },
  );
});

/** The rows whose text is not below their number. Runs in the page. */
const besideNumber = `[...document.querySelectorAll("nav a")]
  .filter((row) => row.checkVisibility() && row.querySelector(".snippet"))
  .filter((row) => {
    const [number, text] = [".to", ".snippet"].map((part) => row.querySelector(part).getBoundingClientRect());
    return text.top < number.top + number.height / 2;
  })
  .map((row) => row.outerHTML)`;

const tooWide =
  "[...document.querySelectorAll('html, body > *, #scroll')].filter((one) => one.scrollWidth > one.clientWidth).length";

/** What a person presses that is smaller than that many pixels, but for links in a text. Runs in the page. */
function smallTargets(least: number): string {
  const targets = "a:not(.bubble a, .why a), button, summary, label:has(input), input:not(label input)";
  return `[...document.querySelectorAll(${JSON.stringify(targets)})]
    .filter((one) => one.checkVisibility() && !one.closest("fieldset:disabled"))
    .filter((one) => Math.min(one.getBoundingClientRect().width, one.getBoundingClientRect().height) < ${least} - 0.5)
    .map((one) => one.outerHTML)`;
}
