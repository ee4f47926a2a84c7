import { describe, expect, it } from "vitest";
import { openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { bubbles, expectShown, numbers, other, threadOf } from "./inbox-browser.ts";
import { hello, post, runSandbox, sendAll } from "./running.ts";

describe("the inbox under load", needs("Chromium", "CI to be set"), () => {
  it("stays responsive while a thousand messages arrive", async () => {
    const sandbox = await runSandbox({ rate: 2000 });
    await post(sandbox, { ...hello, message: "number 0" });
    const page = await open(threadOf(sandbox, hello.to));
    await expectShown(page, bubbles).toEqual(["number 0"]);
    await page.evaluate(watch);
    const sends = Array.from({ length: 1000 }, (_, n) => n)
      .slice(1)
      .map((n) => ({
        to: n % 2 === 0 ? hello.to : `+2547000${n + 10_000}`,
        message: `number ${n}`,
      }));
    await sendAll(sandbox, sends);
    await expectShown(page, "#counts li:first-child").toEqual([expect.stringContaining("1,000 sent")]);
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
    const sandbox = await runSandbox({ rate: 2000, now: () => (clock += 100) });
    const sends = Array.from({ length: 1200 }, (_, n) => ({
      to: n % 2 === 0 ? hello.to : other,
      message: `number ${n}`,
    }));
    await sendAll(sandbox, [...sends, { to: "+254700000500", message: "refused" }]);
    const page = await open(threadOf(sandbox, hello.to));
    await sendAll(sandbox, [{ to: other, message: "number 1200" }]);
    await expectShown(page, "#counts li:first-child").toEqual([expect.stringContaining("1,201 sent")]);
    await expectShown(page, "#totals").toEqual(["600 messages · 600 segments"]);
    for (let left = 500; left > 0; left -= 100) {
      await expectShown(page, "#earlier").toEqual([`Show earlier (${left})`]);
      await page.locator("#earlier").click();
    }
    const even = sends.filter(({ to }) => to === hello.to).map(({ message }) => message);
    await expectShown(page, bubbles).toEqual(even);
    await expectShown(page, numbers).toEqual([other, "+254700000500", hello.to]);
  });
});

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
