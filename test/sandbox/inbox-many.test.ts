import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { browserForFile } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown, numbers } from "./inbox-browser.ts";
import { hello, post, runSandbox } from "./running.ts";

const target = 50_000;

describe("the inbox with 50,000 messages", needs("Chromium"), () => {
  const open = browserForFile();

  it("answers a search, and shows a message that arrives, at once", async () => {
    const sandbox = await runSandbox({ tier: "professional" });
    for (let n = 0; n < 501; n++) await post(sandbox, { ...hello, message: `number ${n}` });
    const page = await open("about:blank");
    await page.route("**/_sandbox/earlier?*", (route) =>
      route.fulfill({ json: { messages: history(), refusals: [] } }),
    );
    await page.goto(sandbox.url);
    await expectShown(page, "footer p:first-child").toEqual([expect.stringContaining("50,000 messages")]);
    const times = [];
    for (const text of ["number 4", "is:live", "0712 3", "zebra", ""]) times.push(await searchTime(page, text));
    const arrival = page.evaluate<number>(untilPainted);
    const sent = Date.now();
    await post(sandbox, { to: "+254799999999", message: "the last one" });
    times.push((await arrival) - sent);
    await expectShown(page, `${numbers} >> nth=0`).toEqual(["+254799999999"]);
    // Measured alone: a search under 100 ms, an arrival under 200 ms.
    expect(times.filter((time) => time > 1000)).toEqual([]);
    if (process.env["SMS_TIMES"]) process.stderr.write(`${times.map(Math.round).join(" ")} ms\n`);
  });
});

/** Messages to 5,000 numbers, as the sandbox lists those before its latest 500. */
function history(): readonly object[] {
  return Array.from({ length: target - 500 }, (_, n) => ({
    messageId: `old-${n}`,
    to: `+2547${10_000_000 + (n % 5000)}`,
    senderId: "SANDBOX",
    message: `Your order ${n} is on its way to the number that you gave us, and will arrive on Friday before noon.`,
    encoding: "GSM-7",
    parts: [`Your order ${n} is on its way to the number that you gave us, and will arrive on Friday before noon.`],
    segments: 1,
    totalCredits: 1,
    totalCostKes: 0.8,
    mode: n % 7 === 0 ? "live" : "test",
    at: new Date(Date.UTC(2029, 0, 1) + n * 1000).toISOString(),
  }));
}

/** Milliseconds from a keystroke to the laid out result. */
function searchTime(page: Page, text: string): Promise<number> {
  return page.evaluate<number>(`(() => {
    const field = document.getElementById("search");
    field.value = ${JSON.stringify(text)};
    const began = performance.now();
    field.dispatchEvent(new Event("input"));
    document.body.offsetHeight;
    return performance.now() - began;
  })()`);
}

/** When the next change of the list is painted. Runs in the page. */
const untilPainted = `new Promise((resolve) => {
  new MutationObserver((_, observer) => {
    observer.disconnect();
    requestAnimationFrame(() => setTimeout(() => resolve(Date.now())));
  }).observe(document.getElementById("conversations"), { childList: true });
})`;
