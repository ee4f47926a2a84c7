import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { browserForFile } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown, numbers } from "./inbox-browser.ts";
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

  it("has one connection for all hidden tabs, which still count new messages", async () => {
    const sandbox = await runSandbox();
    const first = await open(sandbox.url);
    await expectShown(first, "#connection").toEqual(["Live"]);
    // A headless browser never hides a tab.
    await first.context().addInitScript(`{
      let hidden = true;
      Object.defineProperty(document, "hidden", { get: () => hidden });
      globalThis.setHidden = (value) => {
        hidden = value;
        document.dispatchEvent(new Event("visibilitychange"));
      };
    }`);
    const hidden: Page[] = [];
    for (let n = 0; n < 7; n++) hidden.push(await first.context().newPage());
    for (const page of hidden) await page.goto(sandbox.url);
    const titles = () => Promise.all(hidden.map((page) => page.title()));
    await post(sandbox, hello);
    await expect.poll(titles).toEqual(hidden.map(() => "(1) sms sandbox"));
    await first.close();
    await expect
      .poll(
        async () => {
          await post(sandbox, hello);
          return titles();
        },
        { timeout: 15_000 },
      )
      .toEqual(hidden.map(() => expect.not.stringContaining("(1)")));
    for (const page of hidden.slice(-2)) {
      await page.evaluate("setHidden(false)");
      await expectShown(page, "#connection").toEqual(["Live"]);
      await expectShown(page, numbers).toEqual([hello.to]);
      await page.evaluate("setHidden(true)");
    }
  });
});
