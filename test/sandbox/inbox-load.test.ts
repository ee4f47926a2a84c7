import { describe, expect, it } from "vitest";
import { browserForFile } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { bubbles, expectShown, numbers, other, threadOf } from "./inbox-browser.ts";
import { exchange, hello, runSandbox, testKey } from "./running.ts";

describe("the inbox under load", needs("Chromium"), () => {
  const open = browserForFile();

  it("stays responsive while a thousand messages arrive", async () => {
    const sandbox = await runSandbox({ tier: "professional" });
    const page = await open(threadOf(sandbox, hello.to));
    await expectShown(page, "#connection").toEqual(["Live"]);
    await page.evaluate(watch);
    const sends = Array.from({ length: 1000 }, (_, n) => ({
      to: n % 2 === 0 ? hello.to : `+2547000${n + 10_000}`,
      message: `number ${n}`,
    }));
    await exchange(sandbox, pipelined(sends));
    await expectShown(page, "footer p:first-child").toEqual([expect.stringContaining("1,000 messages")]);
    await expectShown(page, "#totals").toEqual(["500 messages · 500 segments"]);
    const { added, longestTask } = await page.evaluate<Watched>("watched");
    // No entry is drawn twice. One rendering takes a tenth of 3 s on a busy machine.
    expect(added).toBeLessThanOrEqual(500);
    expect(longestTask).toBeLessThan(3000);
    expect(await page.locator("#entries li").count()).toBe(100);
    expect(await page.locator("#conversations li").count()).toBe(200);
    await page.locator("#earlier").click();
    expect(await page.locator("#entries li").count()).toBe(200);
    await page.locator("#more").click();
    expect(await page.locator("#conversations li").count()).toBe(400);
  });

  it("shows a history of several pages, and what arrives meanwhile", async () => {
    let clock = Date.UTC(2030, 0, 1);
    const sandbox = await runSandbox({ tier: "professional", now: () => (clock += 100) });
    const sends = Array.from({ length: 1200 }, (_, n) => ({
      to: n % 2 === 0 ? hello.to : other,
      message: `number ${n}`,
    }));
    await exchange(sandbox, pipelined([...sends, { to: `${hello.to}000500`, message: "refused" }]));
    const page = await open(threadOf(sandbox, hello.to));
    await exchange(sandbox, pipelined([{ to: other, message: "number 1200" }]));
    await expectShown(page, "footer p:first-child").toEqual([expect.stringContaining("1,201 messages")]);
    await expectShown(page, "#totals").toEqual(["600 messages · 600 segments"]);
    for (let left = 500; left > 0; left -= 100) {
      await expectShown(page, "#earlier").toEqual([`Show earlier (${left})`]);
      await page.locator("#earlier").click();
    }
    const even = sends.filter(({ to }) => to === hello.to).map(({ message }) => message);
    await expectShown(page, bubbles).toEqual(even);
    await expectShown(page, numbers).toEqual([other, `${hello.to}000500`, hello.to]);
  });
});

/** Those sends as pipelined requests on one connection, the fastest way to send them. */
function pipelined(sends: readonly object[]): string {
  const head = `POST /api/v1/sms/send HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${testKey}\r\nContent-Type: application/json\r\n`;
  const requests = sends.map((send, index) => {
    const body = JSON.stringify(send);
    const last = index === sends.length - 1 ? "Connection: close\r\n" : "";
    return `${head}${last}Content-Length: ${body.length}\r\n\r\n${body}`;
  });
  return requests.join("");
}

interface Watched {
  readonly added: number;
  /** Milliseconds. */
  readonly longestTask: number;
}

/** Counts the entries drawn and measures the longest task. Runs in the page. */
const watch = `
  globalThis.watched = { added: 0, longestTask: 0 };
  new MutationObserver((changes) => {
    for (const { addedNodes } of changes) watched.added += addedNodes.length;
  }).observe(document.getElementById("entries"), { childList: true });
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) watched.longestTask = Math.max(watched.longestTask, duration);
  }).observe({ type: "longtask" });
`;
