import { spawnSync } from "node:child_process";
import axe from "axe-core";
import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { readFaults } from "../../src/sandbox/faults.ts";
import { openOwnPage, openPage } from "../support/browser.ts";
import { freePort } from "../support/free-port.ts";
import { needs } from "../support/needs.ts";
import { ask, hello, liveKey, post, runSandbox } from "./running.ts";

const broken = "+254700000598";

/** Expects what the page eventually shows of those elements, in reading order. */
function expectShown(page: Page, selector: string) {
  return expect.poll(() => page.locator(selector).filter({ visible: true }).allInnerTexts(), { interval: 50 });
}

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).click();
}

async function copyOf(page: Page, label: string): Promise<string> {
  await press(page, label);
  await expectShown(page, ".buttons [role=status]").toContain("Copied");
  return page.evaluate<string>("navigator.clipboard.readText()");
}

async function openInbox(sends: readonly object[] = [], hash = "") {
  const sandbox = await runSandbox();
  for (const fields of sends) await post(sandbox, { ...hello, ...fields });
  return { sandbox, page: await openPage(`${sandbox.url}/${hash}`) };
}

describe("the inbox in a browser", needs("Chromium", "CI to be set"), () => {
  it("says how to send the first message, and shows without a reload what came and what was refused", async () => {
    const { sandbox, page } = await openInbox();
    await expectShown(page, ".hint pre").toEqual([
      `export SMS_BASE_URL=${sandbox.url} SMS_API_KEY=sk_test_sandbox\n` +
        'sms send --to +254712345678 --message "Hello"',
      expect.stringMatching(/^curl http/),
    ]);

    await post(sandbox, hello, { authorization: liveKey });
    await post(sandbox, { ...hello, to: "0712 345 678" });
    await post(sandbox, { ...hello, to: broken }).catch(() => "cut");
    await fetch(`${sandbox.url}/none`);

    await expectShown(page, "#list li").toEqual([
      "GET /none\n1 Jan, 00:00:00\n404 Nothing is served at this path: send with POST /api/v1/sms/send or /v1/sms/send",
      `${broken}\n1 Jan, 00:00:00\nAccepted, but the connection was cut: the number is ${broken}\nSANDBOX Hello`,
      "0712 345 678\n1 Jan, 00:00:00\n400 to must be a phone number in E.164 format, such as +254712345678\nHello",
      `${hello.to}\nlive\n1 Jan, 00:00:00\nSANDBOX Hello`,
    ]);
    const counts = ["All 4", "Accepted 2", "Refused 2", "99 credits left"];
    await expectShown(page, "#filters button, #balance").toEqual(counts);
    expect(await page.title()).toBe(`(4) sms sandbox :${new URL(sandbox.url).port}`);
  });

  it("has its search in the address, and says that nothing matches", async () => {
    const sends = [
      { message: "Deploy begun" },
      { message: "Deploy finished" },
      { message: "deploy", senderIdName: "OTHER" },
    ];
    const { sandbox, page } = await openInbox(sends);

    await page.fill("[type=search]", "deploy");
    await press(page, "Accepted 2");
    await expectShown(page, "#list .snippet").toEqual(["SANDBOX Deploy finished", "SANDBOX Deploy begun"]);
    await page.fill("[type=search]", "deploy zebra");
    await page.reload();
    await expectShown(page, "nav .note").toEqual(["Nothing matches. Show all"]);
    await page.click("nav .note a");
    await expectShown(page, "#list .snippet").toHaveLength(3);
    expect(page.url()).toBe(`${sandbox.url}/#`);
  });

  it("shows one message with its segments, cost, request and answer", async () => {
    const sandbox = await runSandbox();
    const message = `${"x".repeat(153)}the rest`;
    await post(sandbox, { ...hello, message, senderIdName: "ACME" }, { authorization: liveKey });
    const page = await openPage(`${sandbox.url}/#open=1`);

    await expectShown(page, "#title h2").toEqual([hello.to]);
    await expectShown(page, ".why").toEqual(["Accepted with a live key: 2 segments"]);
    const parts = [`segment 1 of 2\n\n${message.slice(0, 153)}`, `segment 2 of 2\n\n${message.slice(153)}`];
    await expectShown(page, ".parts li").toEqual(parts);
    const facts = "1 Jan, 00:00:00|ACME|GSM-7, 2 segments|2 credits, KES 1.60|sk_live_…dbox (live)|200|message-1";
    await expectShown(page, "dd").toEqual(facts.split("|"));
    const [request, answer] = await page.locator("pre").allInnerTexts();
    expect(request).toMatch(/^POST \/api\/v1\/sms\/send HTTP\/1\.1\n[^]*\n\n\{\n  "to": "\+254712345678",\n/);
    expect(answer).toMatch(/^HTTP\/1\.1 200\n[^]*\n\n\{\n  "success": true,/);
    await page.goto(`${sandbox.url}/#open=99`);
    await expectShown(page, ".hint h2").toEqual(["It is gone"]);
  });

  it("shows all to a number as a phone does, each of which opens", async () => {
    const message = `See https://x.example/a?b=1. ${"x".repeat(140)}`;
    const { page } = await openInbox([{ message }, { to: "+254712345679" }, { senderIdName: "OTHER" }], "#open=1");

    await expectShown(page, "#phone li").toEqual([
      `${message}\n\nSANDBOX 1 Jan, 00:00:00 · 2 segments`,
      "Hello\n\n403 refused OTHER 1 Jan, 00:00:00",
    ]);
    expect(await page.locator(".bubble a").getAttribute("href")).toBe("https://x.example/a?b=1");
    await page.click("#phone li:nth-child(2) > a");
    await expectShown(page, ".why").toEqual(["Sender ID not authorized: this sandbox has SANDBOX, ACME"]);
    await expectShown(page, "#list [aria-current] .snippet").toEqual(["OTHER Hello"]);
  });

  it("works with the keyboard alone", async () => {
    const { page } = await openInbox([{ message: "one" }, { message: "two" }, { message: "three" }]);
    await expectShown(page, "#list li").toHaveLength(3);
    const expectOpen = (texts: readonly string[]) => expectShown(page, ".parts p").toEqual(texts);
    const expectFocused = async (selector: string) => {
      await expect.poll(() => page.locator(`${selector}:focus`).count()).toBe(1);
    };

    await page.focus("[type=search]");
    for (const key of ["ArrowDown", "ArrowDown", "ArrowUp"]) await page.keyboard.press(key);
    await expectFocused("#list li:nth-child(1) a");
    await expectOpen(["three"]);
    await page.keyboard.press("Tab");
    await page.keyboard.press("Enter");
    await expectOpen(["two"]);
    await expectFocused("#opened");
    // Scrolls what is read, and opens no other.
    await page.keyboard.press("ArrowDown");
    await expectOpen(["two"]);
    await page.keyboard.press("Escape");
    await expectOpen([]);
    await expectFocused("#list li:nth-child(2) a");
    await page.fill("[type=search]", "one");
    await expectShown(page, "#list li").toHaveLength(1);
    await page.keyboard.press("Escape");
    await expectShown(page, "#list li").toHaveLength(3);
  });

  it.each([1280, 390])("at %i pixels gives the focus back to the message that was closed", async (width) => {
    const { page } = await openInbox([{ message: "one" }, { message: "two" }, { message: "three" }]);
    await page.setViewportSize({ width, height: 640 });
    const closings = [
      () => page.keyboard.press("Escape"),
      () => page.goBack(),
      () => (width < 768 ? page.click(".back") : page.keyboard.press("Escape")),
    ];
    for (const close of closings) {
      await page.click("#list li:nth-child(2) a");
      await expect.poll(() => page.locator("#opened:focus").count()).toBe(1);
      await close();
      await expect.poll(() => page.locator("#list li:nth-child(2) a:focus").count()).toBe(1);
    }
  });

  it("shows a check of credentials as a check", async () => {
    const { sandbox, page } = await openInbox();
    await post(sandbox, {});
    const reason = "The credentials are taken; a check sends no message";
    await expectShown(page, "#list li").toEqual([`Check of credentials\n1 Jan, 00:00:00\n${reason}`]);
    await page.click("#list a");
    await expectShown(page, ".why.good").toEqual([reason]);
    await expectShown(page, "#filters button").toEqual(["All 1", "Accepted 0", "Refused 0"]);
  });

  it("deletes all after a question", async () => {
    const { sandbox, page } = await openInbox([hello]);
    await press(page, "Clear");
    await expectShown(page, "#question").toEqual(["Delete all messages and refused requests (1)?"]);
    await press(page, "Keep");
    await press(page, "Clear");
    await page.keyboard.press("Escape");
    expect(sandbox.messages()).toHaveLength(1);
    await press(page, "Clear");
    await press(page, "Delete");
    await expectShown(page, ".hint h2").toEqual(["No messages yet"]);
    expect(sandbox.messages()).toEqual([]);
    expect(await page.locator("#clear").isDisabled()).toBe(true);
  });

  it("says which faults are active, that the sandbox has stopped, and goes on when it is back", async () => {
    const port = await freePort();
    const sandbox = await runSandbox({ port });
    await post(sandbox, hello);
    const page = await openPage(sandbox.url);
    await expectShown(page, "#list .to").toEqual([hello.to]);
    await expectShown(page, ".strip").toEqual([]);
    await sandbox.close();
    await expectShown(page, ".strip").toEqual(["The sandbox has stopped"]);
    await expectShown(page, "#list .to").toEqual([hello.to]);

    const faulty = await runSandbox({ port, faults: readFaults("500:5%") });
    await expectShown(page, ".strip").toEqual(["Faults: 500:5%"]);
    await faulty.close();
    await runSandbox({ port, isPrivate: true });
    await expectShown(page, "#problem").toEqual(["Open the address that the sandbox printed"]);
  });

  it("never treats a message as markup, shows its hidden characters, and runs no script but its own", async () => {
    const texts = [
      "<script>document.title = 'run'</script>",
      "<img src=x onerror=\"document.title = 'run'\">",
      "</p><style>p { display: none }</style>&amp;",
    ];
    const sends = [...texts, "a\u202eb\u0007\tc"].map((message) => ({ message }));
    const { page } = await openInbox(sends, "#open=1");

    await expectShown(page, ".bubble").toEqual([...texts, "a[U+202E]b[U+0007]\tc"]);
    expect(await page.locator(".bubble *, .snippet :not(b, bdi)").count()).toBe(0);
    // The content security policy refuses markup even if the page's code writes it.
    await expect(page.evaluate("document.body.innerHTML = '<b>markup</b>'")).rejects.toThrow("TrustedHTML");
    const script = "document.createElement('script')";
    await page.evaluate(`document.body.appendChild(${script}).append("document.title = 'run'")`);
    expect(await page.title()).toMatch(/^\(4\) sms sandbox/);
  });
});

/** Ends a bracketed paste, completes a word, reports the cursor, and reverses the text direction. */
const hostile = "it's <b>$HOME</b> \u001b[201~\r\n\treboot\u0007 \u009b6n\u202e \u200bend";

it(
  "a request that is copied as curl sends the same again, with no control character and no key",
  needs("Chromium", "POSIX shell", "CI to be set"),
  async () => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, message: hostile }, { "x-c1": "\u009b6n" });
    const page = await openPage(`${sandbox.url}/#open=1`);

    const command = await copyOf(page, "Copy as curl");
    const script = `curl() { printf "<%s>" "$@"; }; ${command}`;
    const words = spawnSync("sh", ["-c", script], { encoding: "utf8", env: { SMS_API_KEY: "sk_test_sandbox" } }).stdout;
    const [, body = ""] = /<--data-raw><(.*)>$/s.exec(words) ?? [];

    expect(command).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u200B\u202E]/);
    expect(words).toContain("<--header><authorization: Bearer sk_test_sandbox>");
    expect((await post(sandbox, body)).status).toBe(200);
    expect(await ask(sandbox, "messages?since=message-1")).toMatchObject([200, [{ message: hostile }]]);
    expect(await copyOf(page, "Copy text")).toContain("reboot");
  },
);

describe("the layout of the inbox", needs("Chromium", "CI to be set"), () => {
  const sends = [
    { ...hello, to: "+254700000402" },
    { ...hello, message: `https://example.com/${"long".repeat(90)}` },
    { ...hello, senderIdName: "OTHER" },
    { to: broken, message: "\u0007" },
    { to: "A text in place of the number. ".repeat(40), message: hello.to },
  ];

  it.each([
    [320, "light", true],
    [390, "dark", true],
    [768, "light", false],
    [1000, "dark", false],
    [1440, "dark", false],
    [1440, "light", false],
  ] as const)(
    "has no findings of axe at %i pixels, %s, touched: %s, and nothing beside the screen",
    async (width, colorScheme, hasTouch) => {
      const sandbox = await runSandbox({ faults: readFaults("500:0.001%,latency:1..2") });
      const page = await openOwnPage(sandbox.url, { viewport: { width, height: 640 }, colorScheme, hasTouch });
      const check = async (hash: string, selector: string) => {
        await page.goto("about:blank");
        await page.goto(`${sandbox.url}/${hash}`);
        await page.locator(selector).first().waitFor();
        await checkPage(page, hasTouch ? 44 : 24);
      };

      await check("", ".hint pre");
      for (const send of sends) await post(sandbox, send).catch(() => "cut");
      for (let id = 1; id <= sends.length; id++) await check(`#open=${id}`, "article");
      await check("#open=99", ".hint");
      await check("#search=zebra", "nav .note");
      await check("", "#list a");
      await press(page, "Clear");
      await checkPage(page, hasTouch ? 44 : 24);
      await press(page, "Keep");
      await page.click("#list a");
      await expectShown(page, ".back").toHaveLength(width < 768 ? 1 : 0);
      expect(await page.locator("#list").isVisible()).toBe(width >= 768);
      await sandbox.close();
      await expectShown(page, "#problem").toEqual(["The sandbox has stopped"]);
      await checkPage(page, hasTouch ? 44 : 24);
    },
  );
});

/** Expects nothing that axe finds, that is wider than the screen, or that is too small for a pointer or finger. */
async function checkPage(page: Page, leastTarget: number): Promise<void> {
  await page.evaluate(axe.source);
  const findings = await page.evaluate<readonly string[]>(
    "axe.run({ rules: { 'target-size': { enabled: true } } })" +
      ".then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html)))",
  );
  const tooWide = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll("html, header, nav, #opened, article, #phone")]
      .filter((part) => part.scrollWidth > part.clientWidth).map((part) => part.localName)`,
  );
  const tooSmall = await page.evaluate<readonly string[]>(
    `[...document.querySelectorAll("a:not(.bubble a, .parts a, .unsent a, .why a, p a), button, summary, input")]
      .filter((part) => part.checkVisibility() && part.getBoundingClientRect().height < ${leastTarget} - 0.5)
      .map((part) => part.outerHTML)`,
  );
  const none = { at: page.url(), findings: [], tooWide: [], tooSmall: [] };
  expect({ at: page.url(), findings, tooWide, tooSmall }).toEqual(none);
}
