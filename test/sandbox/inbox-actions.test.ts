import type { Page } from "playwright-core";
import { describe, expect, it } from "vitest";
import { openOwnPage, openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown, numbers, other, third, threadOf } from "./inbox-browser.ts";
import { ask, hello, post, runSandbox } from "./running.ts";

function press(page: Page, name: string): Promise<void> {
  return page.getByRole("button", { name, exact: true }).first().click();
}

function expectFocused(page: Page, selector: string) {
  return expect.poll(() => page.locator(`:is(${selector}):focus`).count()).toBe(1);
}

describe("an action in the inbox", needs("Chromium", "CI to be set"), () => {
  it("hands the focus to the neighbour of what it deletes, or to the way back", async () => {
    let clock = Date.UTC(2030, 0, 1);
    const sandbox = await runSandbox({ now: () => clock++ });
    for (const message of ["one", "two", "three"]) await post(sandbox, { ...hello, message });
    for (const to of [other, third]) await post(sandbox, { ...hello, to });
    const page = await open(threadOf(sandbox, hello.to));
    await expectShown(page, "#entries .bubble").toEqual(["one", "two", "three"]);
    await page.locator("#entries .delete").nth(1).press("Enter");
    await expectShown(page, "#entries .bubble").toEqual(["one", "three"]);
    await expectFocused(page, "#entries li:nth-child(3) .delete");
    await page.keyboard.press("Enter");
    await expectShown(page, "#entries .bubble").toEqual(["one"]);
    await expectFocused(page, "#entries li:nth-child(1) .delete");
    await page.setViewportSize({ width: 390, height: 844 });
    await page.press("#delete", "Enter");
    await expectShown(page, numbers).toEqual([third, other]);
    await expectFocused(page, "#conversations li:nth-child(2) a");
    await page.press("#clear", "Enter");
    await expectFocused(page, "#undo-button");
    await page.keyboard.press("Enter");
    await expectShown(page, "#entries .bubble").toEqual(["one", "two", "three"]);
    await expectFocused(page, "#scroll");
  });

  it("on a fault waits for the setup, applies by Enter, and says at its field what is wrong", async () => {
    const sandbox = await runSandbox();
    const page = await openOwnPage("about:blank");
    let load: () => void = () => {};
    const loading = new Promise<void>((resolve) => (load = resolve));
    await page.route("**/_sandbox/events", async (route) => {
      await loading;
      await route.continue();
    });
    await page.goto(`${sandbox.url}/#faults`);
    await page.click("#custom summary");
    const field = page.getByLabel("Share of 500 in percent");
    expect([await field.isDisabled(), await field.inputValue()]).toEqual([true, ""]);
    load();
    await expect.poll(() => field.inputValue()).toBe("0");
    const most = page.getByLabel("Most latency in ms");
    await page.getByLabel("Least latency in ms").pressSequentially("500\n");
    await expectShown(page, "#active").toEqual(["Faults: latency:500..500"]);
    await most.fill("100");
    await most.press("Enter");
    await expectShown(page, "#problem").toEqual([expect.stringContaining('"latency:500..100" is not latency:MS or')]);
    expect(await most.getAttribute("aria-describedby")).toBe("problem");
    expect((await ask(sandbox, "account"))[1]).toMatchObject({ faults: "latency:500..500" });
    await page.getByLabel("Least latency in ms").fill("0");
    await field.fill("3");
    await field.press("Enter");
    await expectShown(page, "#active").toEqual(["Faults: 500:3%,latency:0..100"]);
    await expectShown(page, "#problem").toEqual([]);
    await expectShown(page, "#undo span").toEqual(["Applied"]);
    await page.click("#close");
    await expectShown(page, "#undo").toEqual([]);
  });

  it("sends one message to each fault, and shows what came", async () => {
    const sandbox = await runSandbox();
    const page = await open(`${sandbox.url}/#faults`);
    await page.click("#custom summary");
    for (const [ending, came] of [
      ["000402: 402", "not accepted, and answered with 402"],
      ["000597: reset-before", "not accepted, and the connection was cut"],
      ["000599: hang", "accepted, and never answered"],
      ["000201: cut-body", "accepted, and the answer was cut half-way"],
    ] as const) {
      await press(page, `Send one now to …${ending}`);
      const reason = `The number is +254700${ending.slice(0, 6)}: the message was ${came}`;
      await expectShown(page, "#notice").toEqual([`${reason}\nShow\n✕`]);
    }
    expect(sandbox.messages()).toHaveLength(2);
    expect((await ask(sandbox, "account"))[1]).toMatchObject({ credits: 100 });
    await page.click("#notice a");
    await expectShown(page, "#recipient, #entries .problem").toEqual(["+254700000201", "Accepted, but half an answer"]);
    await page.click('#entries .facts a:has-text("request 4")');
    await expectShown(page, "#requests a[aria-current] .number").toEqual(["+254700000201"]);
    await page.click('#exchange .facts a:has-text("message-2")');
    await expectShown(page, "#recipient").toEqual(["+254700000201"]);
  });

  it("keeps the end of a number without room, and announces a copy", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, to: "+254712345678901" });
    const page = await open(threadOf(sandbox, "+254712345678901"));
    await page.getByRole("button", { name: "Copy ID of message message-1" }).click();
    await expectShown(page, ".actions [role=status]").toEqual(["Copied"]);
    await expectShown(page, ".copy").not.toContain("Copied");
    expect(await page.locator(".actions [role=status]").first().innerText()).toBe("");
    await page.evaluate("document.querySelector('.number').style.flex = '0 0 6rem'");
    const [cell, number] = await page.evaluate<readonly { left: number; right: number }[]>(
      "['.number', '.number bdi'].map((one) => document.querySelector(one).getBoundingClientRect().toJSON())",
    );
    expect(number?.left).toBeLessThan(cell?.left ?? 0);
    expect(number?.right).toBeLessThanOrEqual(cell?.right ?? 0);
  });
});
