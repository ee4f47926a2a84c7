import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { browserWithTabs, openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { bubbles, expectShown, numbers, other, threadOf } from "./inbox-browser.ts";
import { hello, post, runSandbox } from "./running.ts";

describe("the inbox in many tabs", needs("Chromium"), () => {
  it("works where a browser has neither locks nor a clipboard, as over http from another machine", async () => {
    const sandbox = await runSandbox();
    const page = await open("about:blank");
    await page.addInitScript("delete Navigator.prototype.locks; delete Navigator.prototype.clipboard");
    await page.goto(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await expectShown(page, ".copy").toEqual(["Not copied"]);
  });

  it("has one connection for seven that are visible, also when its owner is closed", async () => {
    const sandbox = await runSandbox();
    const first = await open(threadOf(sandbox, hello.to));
    const pages = [first];
    while (pages.length < 7) pages.push(await first.context().newPage());
    for (const page of pages.slice(1)) await page.goto(threadOf(sandbox, hello.to));
    const expectAll = async (state: string, texts: readonly string[]) => {
      for (const page of pages) {
        await expectShown(page, "#connection").toEqual([state]);
        await expectShown(page, bubbles).toEqual(texts);
      }
    };
    await expectAll("Live", []);
    await post(sandbox, { ...hello, message: "one" });
    await expectAll("Live", ["one"]);
    await expect.poll(() => freeReaders(sandbox)).toBe(31);
    await pages.shift()?.close();
    await expect
      .poll(async () => {
        await post(sandbox, { ...hello, to: other });
        return Promise.all(pages.map((page) => page.locator(numbers).count()));
      })
      .toEqual(pages.map(() => 2));
    await post(sandbox, { ...hello, message: "two" });
    await expectAll("Live", ["one", "two"]);
    const { port } = new URL(sandbox.url);
    await sandbox.close();
    await expectAll("The sandbox has stopped", ["one", "two"]);
    const again = await runSandbox({ port: Number(port) });
    await expectAll("Live", []);
    await post(again, { ...hello, message: "three" });
    await expectAll("Live", ["three"]);
  });

  it("notifies on the desktop from one of all hidden tabs, with the count of a burst; all count it", async () => {
    const sandbox = await runSandbox();
    const tabs = await browserWithTabs();
    await tabs.grantPermissions(["notifications"], { origin: sandbox.url });
    await tabs.addInitScript(record);
    const pages = [await tabs.newPage(), await tabs.newPage(), await tabs.newPage()] as const;
    for (const page of pages) await page.goto(sandbox.url);
    const [owner, hidden, visible] = pages;
    await expectShown(visible, "#connection").toEqual(["Live"]);
    expect(await hidden.evaluate("document.visibilityState")).toBe("hidden");
    const notified = async () => (await Promise.all(pages.map(shownBy))).flat();
    const titles = () => Promise.all(pages.map((page) => page.title()));

    await visible.check("#notify");
    const on = "Notifications are on: Messages that arrive while the page is hidden appear like this.";
    await expect.poll(notified).toEqual([on]);
    await post(sandbox, { ...hello, message: "in sight" });
    await expectShown(visible, "#conversations .snippet").toEqual(["SANDBOX in sight"]);
    const blank = await tabs.newPage();
    await expect.poll(() => visible.evaluate("document.visibilityState")).toBe("hidden");
    await post(sandbox, { ...hello, message: "a \u0007 and ".repeat(20), senderIdName: "ACME" });
    const first = `ACME to +254712345678: ${"a U+0007 and ".repeat(15)}…`;
    await expect.poll(notified).toEqual([first, on]);
    await expect.poll(titles).toEqual(pages.map(() => "(2) sms sandbox"));
    for (const message of ["two", "three", "four"]) await post(sandbox, { ...hello, message });
    await expect.poll(notified).toEqual([first, "4 new messages: SANDBOX to +254712345678: four", on]);

    // A headless browser has no desktop to click on.
    await owner.evaluate("notified.at(-1).dispatchEvent(new Event('click'))");
    await owner.bringToFront();
    await expectShown(owner, "#entries [aria-current] .bubble").toEqual(["four"]);
    await blank.bringToFront();
    await owner.close();
    await expect
      .poll(async () => {
        await post(sandbox, { ...hello, message: "five" });
        return hidden.evaluate("notified.length");
      })
      .toBeGreaterThan(0);
    await fetch(`${sandbox.url}/_sandbox/messages`, { method: "DELETE" });
    await expect.poll(() => Promise.all([hidden.title(), visible.title()])).toEqual(["sms sandbox", "sms sandbox"]);
    await post(sandbox, { ...hello, message: "five" });
    await visible.bringToFront();
    await expectShown(visible, "#conversations .snippet").toEqual(["SANDBOX five"]);
    await visible.uncheck("#notify");
    await expect.poll(() => hidden.isChecked("#notify")).toBe(false);
  });

  it("says why there are no notifications", async () => {
    const sandbox = await runSandbox();
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await expectShown(page, "#notify-problem").toEqual([]);
    expect(await page.evaluate("Notification.permission")).toBe("default");
    const browser = await page.context().browser()?.newBrowserCDPSession();
    const { targetInfo } = await (await page.context().newCDPSession(page)).send("Target.getTargetInfo");
    await browser?.send("Browser.setPermission", {
      origin: sandbox.url,
      permission: { name: "notifications" },
      setting: "denied",
      ...(targetInfo.browserContextId !== undefined && { browserContextId: targetInfo.browserContextId }),
    });
    await page.click("#notify");
    await expectShown(page, "#notify-problem").toEqual([
      "The browser refuses notifications: allow them in its settings for this page.",
    ]);
    expect(await page.isChecked("#notify")).toBe(false);
    await page.addInitScript("delete globalThis.Notification");
    await page.reload();
    await expectShown(page, "#notify-problem").toEqual(["This browser shows no notifications."]);
    expect(await page.isDisabled("#notify")).toBe(true);
  });
});

/** How many of 32 more readers the feed takes. */
async function freeReaders({ url }: Sandbox): Promise<number> {
  const readers = await Promise.all(Array.from({ length: 32 }, () => fetch(`${url}/_sandbox/events`)));
  for (const { body } of readers) await body?.cancel();
  return readers.filter(({ ok }) => ok).length;
}

/** Keeps each notification that the browser has shown. */
const record = `
  globalThis.notified = [];
  globalThis.Notification = class extends Notification {
    constructor(...all) {
      super(...all);
      this.addEventListener("show", () => notified.push(this));
    }
  };
`;

function shownBy(page: Page): Promise<readonly string[]> {
  return page.evaluate("notified.map(({ title, body }) => title + ': ' + body)");
}
