import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { browserWithTabs, openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown, other } from "./inbox-browser.ts";
import { hello, post, runSandbox } from "./running.ts";

describe("the inbox in many tabs", needs("Chromium", "CI to be set"), () => {
  it("works where a browser has neither locks nor a clipboard, as over http from another machine", async () => {
    const sandbox = await runSandbox();
    const page = await open("about:blank");
    await page.addInitScript("delete Navigator.prototype.locks; delete Navigator.prototype.clipboard");
    await page.goto(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await expectShown(page, ".copy").toContain("Not copied");
  });

  it("follows the sandbox in the visible one alone, so that a seventh loads; each shows what it missed", async () => {
    let clock = Date.UTC(2030, 0, 1);
    const sandbox = await runSandbox({ now: () => clock++ });
    await post(sandbox, { ...hello, message: "old" });
    const tabs = await browserWithTabs();
    const first = await tabs.newPage();
    let page = first;
    for (let others = 6; others >= 0; others--) {
      await page.goto(sandbox.url);
      await expectShown(page, "#connection").toEqual(["Live"]);
      if (others > 0) page = await tabs.newPage();
    }
    await expect.poll(() => freeReaders(sandbox)).toBe(31);
    await post(sandbox, { ...hello, to: other, message: "new" });
    await first.bringToFront();
    await expectShown(first, "#conversations .unread").toEqual(["1 new"]);
    await tabs.newPage();
    await expect.poll(() => freeReaders(sandbox)).toBe(32);
  });

  it("notifies on the desktop from one of all hidden tabs, with the count of a burst", async () => {
    let clock = Date.UTC(2030, 0, 1);
    const sandbox = await runSandbox({ now: () => clock++ });
    const tabs = await browserWithTabs();
    await tabs.grantPermissions(["notifications"], { origin: sandbox.url });
    await tabs.addInitScript(record);
    const pages = [await tabs.newPage(), await tabs.newPage(), await tabs.newPage()] as const;
    for (const page of pages) await page.goto(sandbox.url);
    const [first, second, visible] = pages;
    await expectShown(visible, "#connection").toEqual(["Live"]);
    expect(await second.evaluate("document.visibilityState")).toBe("hidden");
    const notified = async () => (await Promise.all(pages.toReversed().map(shownBy))).flat();

    await visible.check("#notify");
    const on = "Notifications are on: Messages that arrive while the page is hidden appear like this.";
    await expect.poll(notified).toEqual([on]);
    // The visible one, and one that is hidden.
    await expect.poll(() => freeReaders(sandbox)).toBe(30);
    await post(sandbox, { ...hello, message: "in sight" });
    await expectShown(visible, "#conversations .snippet").toEqual(["SANDBOX in sight"]);
    const blank = await tabs.newPage();
    await expect.poll(() => visible.evaluate("document.visibilityState")).toBe("hidden");
    await expect.poll(() => freeReaders(sandbox)).toBe(31);
    await post(sandbox, { ...hello, message: "a \u0007 and ".repeat(20), senderIdName: "ACME" });
    const one = `2 new messages: ACME to +254712345678: ${"a U+0007 and ".repeat(20).slice(0, 120)}`;
    await expect.poll(notified).toEqual([on, one]);
    await expect.poll(() => first.title()).toBe("(2) sms sandbox");
    for (const message of ["two", "three", "four"]) await post(sandbox, { ...hello, message });
    await expect.poll(notified).toEqual([on, one, "5 new messages: SANDBOX to +254712345678: four"]);

    // A headless browser has no desktop to click on.
    await first.evaluate("notified.at(-1).dispatchEvent(new Event('click'))");
    await first.bringToFront();
    await expectShown(first, "#entries [aria-current] .bubble").toEqual(["four"]);
    await blank.bringToFront();
    await first.close();
    await expect
      .poll(async () => {
        await post(sandbox, { ...hello, message: "five" });
        return (await shownBy(second)).length;
      })
      .toBeGreaterThan(0);
    await fetch(`${sandbox.url}/_sandbox/messages`, { method: "DELETE" });
    await expect.poll(() => second.title()).toBe("sms sandbox");
    await post(sandbox, { ...hello, message: "five" });
    await second.bringToFront();
    await expectShown(second, "#conversations .snippet").toEqual(["SANDBOX five"]);
    await expect.poll(() => second.isChecked("#notify")).toBe(true);
    await second.uncheck("#notify");
    await visible.bringToFront();
    await expectShown(visible, "#conversations .snippet").toEqual(["SANDBOX five"]);
    expect(await visible.isChecked("#notify")).toBe(false);
    await blank.bringToFront();
    await expect.poll(() => freeReaders(sandbox)).toBe(32);
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
    await expectShown(page, "#notify-problem").toEqual([
      "This browser shows notifications only over https, or from this machine, if at all.",
    ]);
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
