import { randomUUID } from "node:crypto";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { bubbles, expectShown, numbers, other, third, threadOf } from "./inbox-browser.ts";
import { hello, liveKey, post, runSandbox, sendAll } from "./running.ts";

describe("the inbox in a browser", needs("Chromium"), () => {
  it("explains how to send the first message, and shows it without a reload", async () => {
    const sandbox = await runSandbox();
    const page = await open(sandbox.url);
    await expectShown(page, "#examples pre").toEqual([
      `export SMS_BASE_URL=${sandbox.url}\nexport SMS_API_KEY=sk_test_sandbox\n` +
        'sms send --to +254712345678 --message "Hello"',
    ]);
    await expectShown(page, "#examples summary").toEqual(["sms", "curl", "Python", "PHP"]);
    await page.locator("#examples summary").nth(1).click();
    await expectShown(page, "#examples pre").toEqual([expect.stringMatching(/^curl http/)]);
    await post(sandbox, hello);
    await expectShown(page, "#conversations li").toEqual([
      "+254712345678\ntest\n1 new\n1 Jan, 00:00\nSANDBOX Hello\n1",
    ]);
    await expectShown(page, "#empty").toEqual([]);
    expect(await page.title()).toBe("(1) sms sandbox");
  });

  it("finds words, senders, and numbers in any notation", async () => {
    const sandbox = await runSandbox({ credits: 2 });
    await post(sandbox, { ...hello, senderIdName: "ACME" }, { authorization: liveKey });
    await post(sandbox, { to: third, message: "a".repeat(1600) }, { authorization: liveKey });
    for (const message of ["Deploy begun", "Deploy finished"]) await post(sandbox, { to: other, message });
    const page = await open(threadOf(sandbox, other));
    for (const [typed, found, texts] of [
      ["FINISHED", [other], ["Deploy finished"]],
      ["0712 345 679", [other], ["Deploy begun", "Deploy finished"]],
      ["acme", [hello.to], []],
      ["", [other, third, hello.to], ["Deploy begun", "Deploy finished"]],
      ["is:live", [third, hello.to], []],
      ["is:refused", [third], []],
      ["key:dbox 0712 is:test", [other], ["Deploy begun", "Deploy finished"]],
      ["from:acme HELLO", [hello.to], []],
      ["from:sandbox is:live", [], []],
      ["credits", [third], []],
      ["message-3", [other], ["Deploy finished"]],
      ["zebra", [], []],
    ] as const) {
      await page.fill("#search", typed);
      await expectShown(page, numbers).toEqual(found);
      await expectShown(page, bubbles).toEqual(texts);
    }
    await expectShown(page, "#no-match").toEqual(["No matches"]);
  });

  it("works with the keyboard alone", async () => {
    const sandbox = await runSandbox();
    for (const to of [hello.to, other, third]) await post(sandbox, { to, message: `for ${to}` });
    const page = await open(sandbox.url);
    await expectShown(page, numbers).toEqual([third, other, hello.to]);
    const press = async (...keys: readonly string[]) => {
      for (const key of keys) await page.keyboard.press(key);
    };
    const expectFocused = async (selector: string) => {
      await expect.poll(() => page.locator(`${selector}:focus`).count(), { timeout: 15_000 }).toBe(1);
    };

    await press("j", "ArrowDown", "k");
    await expectFocused("li:nth-child(1) a");
    await expectShown(page, bubbles).toEqual([`for ${third}`]);
    await press("Enter");
    await expectFocused("#scroll");
    await press("j");
    await expectShown(page, bubbles).toEqual([`for ${other}`]);
    await press("/");
    await expectFocused("#search");
    await page.keyboard.type("678 j/k");
    expect(await page.inputValue("#search")).toBe("678 j/k");
    await press("Backspace", "Backspace", "Backspace", "Backspace");
    await expectShown(page, numbers).toEqual([hello.to]);
    await press("Enter");
    await expectFocused("#scroll");
    await expectShown(page, bubbles).toEqual([`for ${hello.to}`]);
    await press("Escape");
    await expectFocused("li:nth-child(1) a");
    await press("Escape");
    await expectShown(page, numbers).toEqual([third, other, hello.to]);
    await press("Escape");
    await expectShown(page, "#choose h2").toEqual(["Choose a conversation"]);
  });

  it("keeps the focus on a conversation that moves up when a message arrives", async () => {
    const sandbox = await runSandbox();
    for (const to of [hello.to, other]) await post(sandbox, { ...hello, to });
    const page = await open(sandbox.url);
    await expectShown(page, numbers).toEqual([other, hello.to]);
    await page.locator("a", { hasText: hello.to }).focus();
    await post(sandbox, hello);
    await expectShown(page, numbers).toEqual([hello.to, other]);
    expect(await page.locator(":focus .to").innerText()).toBe(hello.to);
  });

  it("deletes a message, a conversation or all with a button, and undoes it", async () => {
    const sandbox = await runSandbox();
    for (const message of ["Hello", "again"]) await post(sandbox, { ...hello, message });
    const page = await open(threadOf(sandbox, hello.to));
    for (const viewport of [
      { width: 390, height: 844 },
      { width: 1280, height: 720 },
    ]) {
      await page.setViewportSize(viewport);
      await expectShown(page, bubbles).toEqual(["Hello", "again"]);
      await page.locator("#entries li:first-child").getByRole("button", { name: "Delete" }).click();
      await expectShown(page, bubbles).toEqual(["again"]);
      if (viewport.width === 390) await page.locator("#undo-button").click();
    }
    await page.locator("#delete").click();
    await expectShown(page, numbers).toEqual([]);
    await page.locator("#undo-button").click();
    await expectShown(page, bubbles).toEqual(["again"]);
    const [download] = await Promise.all([page.waitForEvent("download"), page.locator("#exports a").last().click()]);
    expect(JSON.parse(readFileSync(await download.path(), "utf8"))).toMatchObject([{ message: "again" }]);
    await page.locator("#clear").click();
    await expectShown(page, "#empty h2").toEqual(["No messages yet"]);
    await page.locator("#undo-button").click();
    await expectShown(page, bubbles).toEqual(["again"]);
    await page.locator("#clear").click();
    await expectShown(page, "#empty h2").toEqual(["No messages yet"]);
    expect(sandbox.messages()).toEqual([]);
    expect(await page.locator("#clear").isDisabled()).toBe(true);
  });

  it("undoes its own deletion alone, and says so if another came after it", async () => {
    const sandbox = await runSandbox();
    for (const to of [hello.to, other]) await post(sandbox, { ...hello, to });
    const page = await open(threadOf(sandbox, hello.to));
    await page.locator("#delete").click();
    await expectShown(page, numbers).toEqual([other]);
    await fetch(`${sandbox.url}/_sandbox/messages?id=message-2`, { method: "DELETE" });
    await page.locator("#undo-button").click();
    await expectShown(page, "#undo").toEqual(["Not undone: something was deleted or undone since"]);
    await expectShown(page, numbers).toEqual([]);
  });

  it("keeps the place in a conversation when a message of it is deleted", async () => {
    let clock = Date.UTC(2030, 0, 1);
    const sandbox = await runSandbox({ rate: 1_000_000, now: () => clock++ });
    // The others are the last of several pages of the history.
    await sendAll(
      sandbox,
      Array.from({ length: 3000 }, (_, n) => ({ to: n < 150 ? hello.to : other, message: `number ${n + 1}` })),
    );
    const page = await open(threadOf(sandbox, hello.to));
    await expectShown(page, "#account").toEqual(["3,000 messages · 0 credits · KES 0.00"]);
    await page.locator("#earlier").click();
    await expect.poll(() => page.locator(bubbles).count()).toBe(150);
    await page.evaluate("document.getElementById('scroll').scrollTop = 500");
    await fetch(`${sandbox.url}/_sandbox/messages?id=message-100`, { method: "DELETE" });
    await expect.poll(() => page.locator(bubbles).count()).toBe(149);
    expect(await page.evaluate("document.getElementById('scroll').scrollTop")).toBe(500);
  });

  it("shows that too many pages are open", async () => {
    const sandbox = await runSandbox();
    const readers = await Promise.all(Array.from({ length: 32 }, () => fetch(`${sandbox.url}/_sandbox/events`)));
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Too many pages are open"]);
    await readers[0]?.body?.cancel();
    await expectShown(page, "#connection").toEqual(["Live"]);
  });

  it("shows that the sandbox has stopped, and reconnects when it is back", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await sandbox.close();
    await expectShown(page, "#connection").toEqual(["The sandbox has stopped"]);
    await expectShown(page, numbers).toEqual([hello.to]);
    const again = await runSandbox({ port: Number(new URL(sandbox.url).port) });
    await expectShown(page, "#connection").toEqual(["Live"]);
    await post(again, { ...hello, to: other });
    await expectShown(page, numbers).toEqual([other]);
  });

  it("asks for the new address of a sandbox that serves other machines and has started again", async () => {
    const sandbox = await runSandbox({ host: "0.0.0.0" });
    const page = await open(`${sandbox.url}/?token=${sandbox.token}`);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await sandbox.close();
    await runSandbox({ host: "0.0.0.0", port: Number(new URL(sandbox.url).port), newId: randomUUID });
    await expectShown(page, "#connection").toEqual(["Open the address that the sandbox printed"]);
  });

  it("adds the day to its times once it is over", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    const page = await open("about:blank");
    await page.clock.install({ time: "2030-01-01T12:00:00Z" });
    await page.goto(threadOf(sandbox, hello.to));
    await expectShown(page, "time").toEqual(["00:00", "00:00:00"]);
    await page.clock.fastForward("24:00:00");
    await expectShown(page, "time").toEqual(["1 Jan, 00:00", "1 Jan, 00:00:00"]);
  });
});
