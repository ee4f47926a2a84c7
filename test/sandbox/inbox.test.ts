import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { browserForFile } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { exchange, hello, liveKey, post, runSandbox, testKey } from "./running.ts";

const other = "+254712345679";
const third = "+254712345670";
const phone = { viewport: { width: 390, height: 844 } };

const numbers = "#conversations .to";
const bubbles = "#entries .bubble";

/** What the page comes to show of those elements, in reading order. */
function expectShown(page: Page, selector: string) {
  return expect.poll(() => page.locator(selector).filter({ visible: true }).allInnerTexts(), {
    timeout: 15_000,
    interval: 50,
  });
}

/** The page's address with that conversation open. */
function threadOf({ url }: Sandbox, to: string): string {
  return `${url}/#to=${encodeURIComponent(to)}`;
}

describe("the inbox in a browser", needs("Chromium"), () => {
  const open = browserForFile();

  it("says how to send the first message, and shows it without a reload", async () => {
    const sandbox = await runSandbox();
    const page = await open(sandbox.url);
    await expectShown(page, "#example").toEqual([
      `export SMS_BASE_URL=${sandbox.url}\nexport SMS_API_KEY=sk_test_sandbox\n` +
        'sms send --to +254712345678 --message "Hello"',
    ]);
    await post(sandbox, hello);
    await expectShown(page, "#conversations li").toEqual(["+254712345678\n1 new\n1 Jan, 00:00\nHello"]);
    await expectShown(page, "#empty").toEqual([]);
    expect(await page.title()).toBe("(1) sms sandbox");
  });

  it("shows a text as it was written, where its segments split, what it costs and who sent it", async () => {
    const sandbox = await runSandbox();
    const page = await open(threadOf(sandbox, hello.to));
    const message = `Two lines:\n${"x".repeat(142)}the rest`;
    await post(sandbox, { ...hello, message, senderIdName: "ACME" }, { authorization: liveKey });
    await expectShown(page, bubbles).toEqual([`Two lines:\n${"x".repeat(142)}2the rest`]);
    await expectShown(page, "#entries .facts").toEqual([
      "ACME\n1 Jan, 00:00:00\nlive\n2 segments · GSM-7\n2 credits · KES 1.60\nmessage-1",
    ]);
    await post(sandbox, { ...hello, message: "Jambo ✅" });
    await expectShown(page, "#entries li:last-child .facts").toEqual([
      "SANDBOX\n1 Jan, 00:00:00\ntest\n1 segment · UCS-2\n1 credit · KES 0.80, not charged\nmessage-2",
    ]);
    await expectShown(page, "#totals").toEqual(["2 messages · 3 segments"]);
    await expectShown(page, "footer p").toEqual(["2 messages · 98 credits left\n100 requests a minute"]);
  });

  it("never lets a text become markup, and runs no script but its own", async () => {
    const sandbox = await runSandbox();
    const page = await open(threadOf(sandbox, hello.to));
    const texts = [
      "<script>document.title = 'run'</script>",
      "<img src=x onerror=\"document.title = 'run'\">",
      "</p><style>p { display: none }</style>&amp;",
    ];
    for (const message of texts) await post(sandbox, { ...hello, message });
    await expectShown(page, bubbles).toEqual(texts);
    await expectShown(page, "#conversations .snippet").toEqual(texts.slice(-1));
    expect(await page.locator(".bubble *, .snippet *").count()).toBe(0);
    // What the policy is for: were a text ever written as markup, it would be refused.
    await expect(page.evaluate("document.body.innerHTML = '<b>markup</b>'")).rejects.toThrow("TrustedHTML");
    const script = "document.createElement('script')";
    await page.evaluate(`document.body.appendChild(${script}).append("document.title = 'run'")`);
    expect(await page.title()).toBe("sms sandbox");
  });

  it("makes characters visible that hide or turn text round, and sets each text in its own direction", async () => {
    const sandbox = await runSandbox();
    const page = await open(threadOf(sandbox, hello.to));
    const arabic = "رمز التحقق 482913";
    for (const message of ["to\u202eKES\u0007", arabic]) await post(sandbox, { ...hello, message });
    await expectShown(page, bubbles).toEqual(["toU+202EKESU+0007", arabic]);
    const directions =
      "[...document.querySelectorAll('.bubble')].map((one) => getComputedStyle(one).direction)";
    expect(await page.evaluate(directions)).toEqual(["ltr", "rtl"]);
  });

  it("shows faults and refusals unlike a text that was delivered", async () => {
    const sandbox = await runSandbox({ credits: 0 });
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await post(sandbox, { ...hello, to: "+254712000500" });
    await post(sandbox, { ...hello, to: "+254712000598" }).catch(() => "cut, as it should be");
    await post(sandbox, { ...hello, to: "+254712345678" }, { authorization: liveKey });
    await expectShown(page, "#conversations .snippet").toEqual([
      "402 refused Hello",
      "the connection was cut Hello",
      "500 injected Hello",
    ]);
    await page.locator("a", { hasText: "000500" }).click();
    await expectShown(page, "#entries li").toEqual([
      "500 injected\n\nHello\n\n1 Jan, 00:00:00\ntest\nnot taken\nINTERNAL_ERROR",
    ]);
    await expectShown(page, bubbles).toEqual([]);
    await page.locator("a", { hasText: "000598" }).click();
    await expectShown(page, "#entries .problem").toEqual(["Taken, but the connection was cut"]);
    await expectShown(page, bubbles).toEqual(["Hello"]);
    const faults = JSON.stringify({ faults: "reset-before:100%" });
    const headers = { "content-type": "application/json" };
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: "POST", headers, body: faults });
    await post(sandbox, { ...hello, to: other }).catch(() => "cut again");
    await page.locator("a", { hasText: other }).click();
    await expectShown(page, "#entries .problem").toEqual(["cut without an answer"]);
  });

  it("finds words, senders, and numbers however they are written", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, senderIdName: "ACME" });
    for (const message of ["Deploy begun", "Deploy finished"]) await post(sandbox, { to: other, message });
    const page = await open(threadOf(sandbox, other));
    for (const [typed, found, texts] of [
      ["FINISHED", [other], ["Deploy finished"]],
      ["0712 345 679", [other], ["Deploy begun", "Deploy finished"]],
      ["acme", [hello.to], []],
      ["", [other, hello.to], ["Deploy begun", "Deploy finished"]],
      ["zebra", [], []],
    ] as const) {
      await page.fill("#search", typed);
      await expectShown(page, numbers).toEqual(found);
      await expectShown(page, bubbles).toEqual(texts);
    }
    await expectShown(page, "#no-conversation").toEqual(["Nothing found"]);
  });

  it("can be used by keyboard alone", async () => {
    const sandbox = await runSandbox();
    for (const to of [hello.to, other, third]) await post(sandbox, { to, message: `for ${to}` });
    const page = await open(sandbox.url);
    await expectShown(page, numbers).toEqual([third, other, hello.to]);
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const expectFocused = async (selector: string) => {
      await expect.poll(() => page.locator(`${selector}:focus`).count(), { timeout: 15_000 }).toBe(1);
    };

    await press("j", "ArrowDown", "k");
    await expectFocused("li:nth-child(1) a");
    await expectShown(page, bubbles).toEqual([`for ${third}`]);
    await press("Enter");
    await expectFocused("#scroll");
    await press("j");
    await expectShown(page, bubbles).toEqual([`for ${other}`]);
    await press("/");
    await expectFocused("#search");
    await page.keyboard.type("678 j/k");
    expect(await page.inputValue("#search")).toBe("678 j/k");
    await press("Backspace", "Backspace", "Backspace", "Backspace");
    await expectShown(page, numbers).toEqual([hello.to]);
    await press("Enter");
    await expectFocused("#scroll");
    await expectShown(page, bubbles).toEqual([`for ${hello.to}`]);
    await press("Escape");
    await expectFocused("li:nth-child(1) a");
    await press("Escape");
    await expectShown(page, numbers).toEqual([third, other, hello.to]);
    await press("Escape");
    await expectShown(page, "#choose h2").toEqual(["Choose a conversation"]);
  });

  it("keeps the focus on a conversation that moves up because a message arrives", async () => {
    const sandbox = await runSandbox();
    for (const to of [hello.to, other]) await post(sandbox, { ...hello, to });
    const page = await open(sandbox.url);
    await expectShown(page, numbers).toEqual([other, hello.to]);
    await page.locator("a", { hasText: hello.to }).focus();
    await post(sandbox, hello);
    await expectShown(page, numbers).toEqual([hello.to, other]);
    expect(await page.locator(":focus .to").innerText()).toBe(hello.to);
  });

  it("shows the list or a conversation on a phone, and nothing wider than it", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, message: `https://example.com/${"long".repeat(40)}` });
    const page = await open(sandbox.url, phone);
    const tooWide =
      "[...document.querySelectorAll('html, nav, #scroll')].filter((one) => one.scrollWidth > one.clientWidth).length";
    await expectShown(page, "nav, main").toEqual([expect.stringContaining(hello.to)]);
    expect(await page.evaluate(tooWide)).toBe(0);
    await page.locator("#conversations a").click();
    await expectShown(page, "nav, #recipient").toEqual([hello.to]);
    expect(await page.evaluate(tooWide)).toBe(0);
    await page.locator("#back").click();
    await expectShown(page, "nav, #recipient").toEqual([expect.stringContaining("1 Jan")]);
  });

  it("can be read in the light and in the dark", async () => {
    const sandbox = await runSandbox();
    for (const to of ["+254712000598", "+254712000500"])
      await post(sandbox, { ...hello, to }).catch(() => {});
    await post(sandbox, { ...hello, to: "+254712000598", message: "\u0007".repeat(200) }).catch(() => {});
    const page = await open(sandbox.url);
    await post(sandbox, hello);
    const papers = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      papers.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      for (const to of ["+254712000598", "+254712000500"]) {
        await page.locator("a", { hasText: to }).click();
        await expectShown(page, "#recipient").toEqual([to]);
        const pairs = await page.evaluate<readonly Pair[]>(inkAndPaper);
        expect(pairs.length).toBeGreaterThan(20);
        expect(pairs.filter(({ ink, paper }) => contrast(ink, paper) < 4.5)).toEqual([]);
      }
    }
    expect(papers).toEqual(["rgb(255, 255, 255)", "rgb(25, 29, 32)"]);
  });

  it("forgets everything when asked to", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    const page = await open(threadOf(sandbox, hello.to));
    await expectShown(page, bubbles).toEqual(["Hello"]);
    await page.locator("#clear").click();
    await expectShown(page, "#empty h2").toEqual(["Nothing has been sent yet"]);
    expect(sandbox.messages()).toEqual([]);
    expect(await page.locator("#clear").isDisabled()).toBe(true);
  });

  it("says that the sandbox has stopped, and goes on by itself once it is back", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await sandbox.close();
    await expectShown(page, "#connection").toEqual(["The sandbox has stopped"]);
    await expectShown(page, numbers).toEqual([hello.to]);
    const again = await runSandbox({ port: Number(new URL(sandbox.url).port) });
    await expectShown(page, "#connection").toEqual(["Live"]);
    await post(again, { ...hello, to: other });
    await expectShown(page, numbers).toEqual([other]);
  });

  it("stays fluent while a thousand messages arrive", async () => {
    const sandbox = await runSandbox({ tier: "professional" });
    const page = await open(threadOf(sandbox, hello.to));
    await expectShown(page, "#connection").toEqual(["Live"]);
    await page.evaluate(watch);
    const sends = Array.from({ length: 1000 }, (_, n) => ({
      to: n % 2 === 0 ? hello.to : `+2547000${n + 10_000}`,
      message: `number ${n}`,
    }));
    await exchange(sandbox, pipelined(sends));
    await expectShown(page, "footer p").toEqual([expect.stringContaining("1,000 messages")]);
    await expectShown(page, "#totals").toEqual(["500 messages · 500 segments"]);
    const { added, longestTask } = await page.evaluate<Watched>("watched");
    // No entry is drawn twice, whatever else arrives; a rendering takes a tenth of this on a machine that does more besides.
    expect(added).toBeLessThanOrEqual(500);
    expect(longestTask).toBeLessThan(3000);
    expect(await page.locator("#entries li").count()).toBe(100);
    expect(await page.locator("#conversations li").count()).toBe(200);
    await page.locator("#earlier").click();
    expect(await page.locator("#entries li").count()).toBe(200);
    await page.locator("#more-conversations").click();
    expect(await page.locator("#conversations li").count()).toBe(400);
  });
});

/** Those sends one behind the other on one connection, which is the fastest that a client can be. */
function pipelined(sends: readonly object[]): string {
  const head = `POST /api/v1/sms/send HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${testKey}\r\nContent-Type: application/json\r\n`;
  const requests = sends.map((send, index) => {
    const body = JSON.stringify(send);
    const last = index === sends.length - 1 ? "Connection: close\r\n" : "";
    return `${head}${last}Content-Length: ${body.length}\r\n\r\n${body}`;
  });
  return requests.join("");
}

interface Pair {
  readonly what: string;
  readonly ink: readonly number[];
  readonly paper: readonly number[];
}

interface Watched {
  readonly added: number;
  /** Milliseconds. */
  readonly longestTask: number;
}

/** Every visible text of the page with its colour and the colour behind it. Runs in the page. */
const inkAndPaper = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const paperOf = (one) => {
    const color = channels(getComputedStyle(one).backgroundColor);
    return color[3] === 0 ? paperOf(one.parentElement) : color;
  };
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((one) => ({ what: one.outerHTML.slice(0, 80), ink: channels(getComputedStyle(one).color), paper: paperOf(one) }));
})()`;

/** Counts the entries that are drawn, and how long the page is ever busy at a stretch. Runs in the page. */
const watch = `
  globalThis.watched = { added: 0, longestTask: 0 };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) watched.added += addedNodes.length;
  }).observe(document.getElementById("entries"), { childList: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longestTask = Math.max(watched.longestTask, duration);
  }).observe({ type: "longtask" });
`;

/** The contrast of two colours (WCAG 2.2, relative luminance). */
function contrast(ink: readonly number[], paper: readonly number[]): number {
  const [dark = 0, light = 0] = [luminance(ink), luminance(paper)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red = 0, green = 0, blue = 0]: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
