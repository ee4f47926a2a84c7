import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { browserForFile } from "../support/browser.ts";
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
});

/** How many of 32 more readers the feed takes. */
async function freeReaders({ url }: Sandbox): Promise<number> {
  const readers = await Promise.all(Array.from({ length: 32 }, () => fetch(`${url}/_sandbox/events`)));
  for (const { body } of readers) await body?.cancel();
  return readers.filter(({ ok }) => ok).length;
}
