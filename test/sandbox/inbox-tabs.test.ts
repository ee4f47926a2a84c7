import { describe, expect, it } from "vitest";
import { browserWithTabs, openOwnPage } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown, other } from "./inbox-browser.ts";
import { hello, post, runSandbox } from "./running.ts";

describe("the inbox in many tabs", needs("Chromium", "CI to be set"), () => {
  it("works where a browser has no clipboard, as over http from another machine", async () => {
    const sandbox = await runSandbox();
    const page = await openOwnPage("about:blank");
    await page.addInitScript("delete Navigator.prototype.clipboard");
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
    await post(sandbox, { ...hello, to: other, message: "new" });
    await expect.poll(() => first.title()).toBe(`(1) sms sandbox :${new URL(sandbox.url).port}`);
    await first.bringToFront();
    await expectShown(first, "#conversations .unread").toEqual(["1 new"]);
  });
});
