import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { browserForFile, browserWithTabs } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { bubbles, expectShown, numbers, other, threadOf } from "./inbox-browser.ts";
import { hello, post, runSandbox } from "./running.ts";

describe("the inbox in many tabs", needs("Chromium"), () => {
  const open = browserForFile();

  it("works where a browser has neither locks nor a clipboard, as over http from another machine", async () => {
    const sandbox = await runSandbox();
    const page = await open("about:blank");
    await page.addInitScript("delete Navigator.prototype.locks; delete Navigator.prototype.clipboard");
    await page.goto(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await page.getByRole("button", { name: "Copy" }).first().click();
    await expectShown(page, ".copy").toEqual(["Not copied"]);
  });

  it("has one connection for eight that are visible, also when its owner is closed", async () => {
    const sandbox = await runSandbox();
    const first = await open(threadOf(sandbox, hello.to));
    const pages = [first];
    while (pages.length < 8) pages.push(await first.context().newPage());
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

  it("counts new messages in all that are hidden, and loads them when one is looked at", async () => {
    const sandbox = await runSandbox();
    const tabs = await browserWithTabs();
    const pages: Page[] = [];
    while (pages.length < 3) pages.push(await tabs.newPage());
    for (const page of pages) await page.goto(sandbox.url);
    await tabs.newPage();
    await expect.poll(() => Promise.all(pages.map((page) => page.evaluate("document.hidden")))).not.toContain(false);
    const titles = () => Promise.all(pages.map((page) => page.title()));
    await post(sandbox, hello);
    await expect.poll(titles).toEqual(pages.map(() => "(1) sms sandbox"));
    await pages.shift()?.close();
    await expect
      .poll(async () => {
        await post(sandbox, hello);
        return titles();
      })
      .toEqual(pages.map(() => expect.not.stringContaining("(1)")));
    for (const page of pages) {
      await page.bringToFront();
      await expectShown(page, "#connection").toEqual(["Live"]);
      await expectShown(page, numbers).toEqual([hello.to]);
    }
  });
});

/** How many of 32 more readers the feed takes. */
async function freeReaders({ url }: Sandbox): Promise<number> {
  const readers = await Promise.all(Array.from({ length: 32 }, () => fetch(`${url}/_sandbox/events`)));
  for (const { body } of readers) await body?.cancel();
  return readers.filter(({ ok }) => ok).length;
}
