import { randomUUID } from "node:crypto";
import { describe, expect, it } from "vitest";
import { openOwnPage, openPage as open } from "../support/browser.ts";
import { freePort } from "../support/free-port.ts";
import { needs } from "../support/needs.ts";
import { bubbles, expectShown, numbers, other, third, threadOf } from "./inbox-browser.ts";
import { hello, liveKey, post, runSandbox, sendAll } from "./running.ts";

describe("the inbox in a browser", needs("Chromium"), () => {
  it("explains how to send the first message, and shows it without a reload", async () => {
    const sandbox = await runSandbox();
    const page = await open(sandbox.url);
    await expectShown(page, "#empty pre").toEqual([
      `export SMS_BASE_URL=${sandbox.url}\nexport SMS_API_KEY=sk_test_sandbox\n` +
        'sms send --to +254712345678 --message "Hello"',
      expect.stringMatching(/^curl http/),
    ]);
    await post(sandbox, hello);
    await expectShown(page, "#conversations li").toEqual(["+254712345678\n1 Jan, 00:00:00\nSANDBOX\nHello\n1 new"]);
    await expectShown(page, "#empty").toEqual([]);
    expect(await page.title()).toBe(`(1) sms sandbox :${new URL(sandbox.url).port}`);
  });

  it("shows what a search finds: words, senders, reasons and ids", async () => {
    const sandbox = await runSandbox({ credits: 2 });
    await post(sandbox, { ...hello, senderIdName: "ACME" }, { authorization: liveKey });
    await post(sandbox, { to: third, message: "a".repeat(1600) }, { authorization: liveKey });
    for (const message of ["Deploy begun", "Deploy finished"]) await post(sandbox, { to: other, message });
    const page = await open(threadOf(sandbox, other));
    for (const [typed, found, texts] of [
      ["FINISHED", [other], ["Deploy finished"]],
      ["acme", [hello.to], []],
      ["", [other, third, hello.to], ["Deploy begun", "Deploy finished"]],
      ["credits", [third], []],
      ["message-3", [other], ["Deploy finished"]],
      ["finished deploy", [other], ["Deploy finished"]],
      ["zebra", [], []],
    ] as const) {
      await page.fill("#search", typed);
      await expectShown(page, numbers).toEqual(found);
      await expectShown(page, bubbles).toEqual(texts);
    }
    await expect.poll(() => page.url()).toBe(threadOf(sandbox, other).replace("/#", "/?search=zebra#"));
    await page.reload();
    await expectShown(page, "#no-match").toEqual(["Nothing here matches. Show all"]);
    await page.click("#no-match button");
    await expectShown(page, numbers).toEqual([other, third, hello.to]);
    await expect.poll(() => page.url()).toBe(threadOf(sandbox, other));
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
      await expect.poll(() => page.locator(`${selector}:focus`).count()).toBe(1);
    };

    await press("ArrowDown", "ArrowDown", "ArrowUp");
    await expectFocused("li:nth-child(1) a");
    await expectShown(page, bubbles).toEqual([`for ${third}`]);
    await press("Enter");
    await expectFocused("#scroll");
    await page.focus("#search");
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
      const first = page.locator("#entries li:first-child");
      const place = () => page.locator("#entries li:last-child .bubble").boundingBox();
      if (viewport.width === 390) await first.locator(".menu").click();
      const before = await place();
      await first.getByRole("button", { name: "Delete" }).dblclick();
      await expectShown(page, bubbles).toEqual(["again"]);
      await expectShown(page, "#undo span").toEqual(["Message deleted"]);
      expect(await place()).toEqual(before);
      if (viewport.width === 390) await page.locator("#undo-button").click();
    }
    await page.locator("#delete").click();
    await expectShown(page, numbers).toEqual([]);
    await post(sandbox, { ...hello, message: "since" });
    await expectShown(page, bubbles).toEqual(["since"]);
    await page.locator("#clear").click();
    await expectShown(page, "#undo span").toEqual(["3 deletions"]);
    await page.locator("#undo-button").click();
    await expectShown(page, bubbles).toEqual(["Hello", "again", "since"]);
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
    await expectShown(page, "#undo span").toEqual(["Not undone: something was deleted or undone since"]);
    await expectShown(page, numbers).toEqual([]);
  });

  it("finds by each count what it counts, and says how many requests became no message", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, to: "+254700000598" }).catch(() => "cut, as it should be");
    await post(sandbox, hello, { authorization: liveKey });
    await post(sandbox, { ...hello, to: "+254700000402" });
    await post(sandbox, "{}");
    const page = await open(sandbox.url);
    await page.setViewportSize({ width: 800, height: 700 });
    const press = (name: string) => page.getByRole("button", { name, exact: true }).click();
    await expectShown(page, "#counts li").toEqual(["2 sent", "1 refused", "1 broken", "99 left"]);
    for (const [name, found] of [
      ["2 sent", [hello.to, "+254700000598"]],
      ["1 refused", ["+254700000402"]],
      ["1 broken", ["+254700000598"]],
      ["1 broken", ["+254700000402", hello.to, "+254700000598"]],
    ] as const) {
      await press(name);
      await expectShown(page, numbers).toEqual(found);
    }
    await page.locator("#counts button", { hasText: "1 refused" }).focus();
    await post(sandbox, { ...hello, to: "+254700000402" });
    await expectShown(page, "#counts button:focus").toEqual(["2 refused"]);
    await page.goto(`${sandbox.url}/?only=broken#requests`);
    await expectShown(page, "#counts [aria-pressed=true]").toEqual(["1 broken"]);
    await expectShown(page, "#requests .to").toEqual(["+254700000598"]);
    await press("3 refused");
    await expectShown(page, "#requests .to").toHaveLength(3);
    for (const to of ["+254700000598", hello.to, "+254700000402", "+254700000402"]) {
      await fetch(`${sandbox.url}/_sandbox/messages?to=${encodeURIComponent(to)}`, { method: "DELETE" });
    }
    await page.goto(`${sandbox.url}/#`);
    await expectShown(page, "#empty .problem").toEqual(["3 requests became no message: see why"]);
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
    await expectShown(page, "#counts li:first-child").toEqual(["3,000 sent"]);
    await page.locator("#earlier").click();
    await expect.poll(() => page.locator(bubbles).count()).toBe(150);
    const read = page.locator(bubbles).nth(50);
    await read.scrollIntoViewIfNeeded();
    await expectShown(page, "#latest").toEqual(["Latest ↓"]);
    await post(sandbox, hello);
    await expectShown(page, "#latest").toEqual(["1 new ↓"]);
    const place = await read.boundingBox();
    await fetch(`${sandbox.url}/_sandbox/messages?id=message-100`, { method: "DELETE" });
    await expect.poll(() => page.locator(bubbles).count()).toBe(150);
    expect(Math.abs(((await read.boundingBox())?.y ?? 0) - (place?.y ?? 0))).toBeLessThan(1);
    await page.locator("#latest").click();
    await expect.poll(() => page.locator(bubbles).count()).toBe(100);
  });

  it("shows that the sandbox has stopped, and reconnects when it is back", async () => {
    const port = await freePort();
    const sandbox = await runSandbox({ port });
    await post(sandbox, hello);
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await sandbox.close();
    await expectShown(page, "#connection").toEqual(["The sandbox has stopped"]);
    await expectShown(page, numbers).toEqual([hello.to]);
    await page.setViewportSize({ width: 390, height: 844 });
    await page.click(numbers);
    await expectShown(page, "#connection, #recipient").toEqual(["The sandbox has stopped", hello.to]);
    await page.click("#entries .menu");
    for (const button of ["#entries .delete", "#delete"]) {
      await page.click(button);
      await expectShown(page, "#undo span").toEqual(["Nothing was changed: the sandbox has stopped"]);
      expect(await page.locator(`${button}:focus`).count()).toBe(1);
    }
    await page.click("#back");
    const again = await runSandbox({ port });
    await expectShown(page, "#connection").toEqual(["Live"]);
    await post(again, { ...hello, to: other });
    await expectShown(page, numbers).toEqual([other]);
  });

  it("asks for the new address of a sandbox that serves other machines and has started again", async () => {
    const port = await freePort();
    const sandbox = await runSandbox({ host: "0.0.0.0", port });
    const page = await open(`${sandbox.url}/?token=${sandbox.token}`);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await sandbox.close();
    await runSandbox({ host: "0.0.0.0", port, newId: randomUUID });
    await expectShown(page, "#connection").toEqual(["Open the address that the sandbox printed"]);
  });

  it("adds the day to its times once it is over", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    const page = await openOwnPage("about:blank");
    await page.clock.install({ time: "2030-01-01T12:00:00Z" });
    await page.goto(threadOf(sandbox, hello.to));
    await expectShown(page, "time").toEqual(["00:00:00", "00:00:00"]);
    await page.clock.fastForward("24:00:00");
    await expectShown(page, "time").toEqual(["1 Jan, 00:00:00", "1 Jan, 00:00:00"]);
  });

  it("begins anew after many events, so that it holds little more than the sandbox", async () => {
    const sandbox = await runSandbox();
    const page = await openOwnPage("about:blank");
    await page.addInitScript(manyEvents);
    await page.goto(sandbox.url);
    await expect.poll(() => page.evaluate("EventSource.opened")).toBe(2);
  });
});

/** A stream of 100,001 events, and then one without any. */
const manyEvents = `
  globalThis.EventSource = class extends EventTarget {
    static opened = 0;
    constructor() {
      super();
      const count = EventSource.opened++ === 0 ? 100_001 : 0;
      setTimeout(() => {
        for (let id = 1; id <= count; id++)
          this.dispatchEvent(new MessageEvent("request", { lastEventId: String(id), data: "{}" }));
      });
    }
    close() {}
  };
`;

describe("a message in the inbox", needs("Chromium"), () => {
  it("shows a message as written, with its segment boundaries, cost and sender", async () => {
    const sandbox = await runSandbox();
    const page = await open(threadOf(sandbox, hello.to));
    const message = `Two lines:\n${"x".repeat(142)}the rest`;
    await post(sandbox, { ...hello, message, senderIdName: "ACME" }, { authorization: liveKey });
    await expectShown(page, bubbles).toEqual([message]);
    expect(await page.locator(`${bubbles} .split`).getAttribute("aria-label")).toBe("segment 2 begins here");
    await expectShown(page, "#entries .facts").toEqual([
      "ACME\n1 Jan, 00:00:00\nlive\n2 segments · GSM-7\n2 credits · KES 1.60\nmessage-1\nrequest 1",
    ]);
    await post(sandbox, { ...hello, message: "Jambo ✅" });
    await expectShown(page, "#entries li:last-child .facts").toEqual([
      "SANDBOX\n1 Jan, 00:00:00\n1 segment · UCS-2\n1 credit · KES 0.80, not charged\nmessage-2\nrequest 2",
    ]);
    await expectShown(page, "#totals").toEqual(["2 messages · 3 segments"]);
    await expectShown(page, "#counts li").toEqual(["2 sent", "98 left"]);
  });

  it("never treats a message as markup, and runs no script but its own", async () => {
    const sandbox = await runSandbox();
    const page = await open(threadOf(sandbox, hello.to));
    const texts = [
      "<script>document.title = 'run'</script>",
      "<img src=x onerror=\"document.title = 'run'\">",
      "</p><style>p { display: none }</style>&amp;",
    ];
    for (const message of texts) await post(sandbox, { ...hello, message });
    await expectShown(page, bubbles).toEqual(texts);
    await expectShown(page, "#conversations .snippet").toEqual([`SANDBOX\n${texts.at(-1)}`]);
    expect(await page.locator(".bubble *, .words *").count()).toBe(0);
    // The content security policy refuses markup even if the page's code writes it.
    await expect(page.evaluate("document.body.innerHTML = '<b>markup</b>'")).rejects.toThrow("TrustedHTML");
    const script = "document.createElement('script')";
    await page.evaluate(`document.body.appendChild(${script}).append("document.title = 'run'")`);
    expect(await page.title()).toBe(`sms sandbox :${new URL(sandbox.url).port}`);
  });

  it("shows control and bidirectional characters, and gives each message its own direction", async () => {
    const sandbox = await runSandbox();
    const page = await open(threadOf(sandbox, hello.to));
    const arabic = "رمز التحقق 482913";
    for (const message of ["to\u202eKES\u0007so\u00adft\u2063", arabic]) await post(sandbox, { ...hello, message });
    await expectShown(page, bubbles).toEqual(["toU+202EKESU+0007soU+00ADftU+2063", arabic]);
    const directions = "[...document.querySelectorAll('.bubble')].map((one) => getComputedStyle(one).direction)";
    expect(await page.evaluate(directions)).toEqual(["ltr", "rtl"]);
  });

  it("has an address, and makes web addresses in its text links that are safe", async () => {
    const sandbox = await runSandbox({ rate: 500 });
    const address = `https://example.com/${"a".repeat(150)}`;
    await post(sandbox, {
      ...hello,
      message: `See ${address}. javascript:alert(1) http:// https://x.example/\u202eb"c\u001b[201~\nreboot\r`,
    });
    await sendAll(
      sandbox,
      Array.from({ length: 120 }, (_, n) => ({ ...hello, message: `later ${n}` })),
    );
    const page = await open(`${sandbox.url}/#message=message-1`);
    await expectShown(page, "#entries [aria-current] code").toEqual(["message-1"]);
    const bubble = page.locator("#entries [aria-current] .bubble");
    await expect.poll(async () => (await bubble.boundingBox())?.y).toBeGreaterThan(0);
    const links = await bubble.locator("a").all();
    const attributes = ["href", "rel", "target"];
    const found = links.map((link) => Promise.all(attributes.map((name) => link.getAttribute(name))));
    const safe = ["noopener noreferrer nofollow", "_blank"];
    expect(await Promise.all(found)).toEqual([
      [address, ...safe],
      ["https://x.example/", ...safe],
    ]);
    expect(await links[0]?.innerText()).toBe(address);
    expect(await links[0]?.locator(".split").count()).toBe(2);
    const copied = async (label: string) => {
      await page.locator("#entries [aria-current]").getByRole("button", { name: label }).click();
      await expectShown(page, ".copy").toContain("Copied");
      return page.evaluate<string>("navigator.clipboard.readText()");
    };
    expect(await copied("Copy ID")).toBe("message-1");
    expect(await copied("Copy text")).toMatch(/\u202eb"c\u001b\[201~\nreboot\r$/);
    await page.fill("#search", "later 11");
    await page.locator("#entries a", { hasText: "message-120" }).click();
    await expectShown(page, "#entries [aria-current] code").toEqual(["message-120"]);
    expect(await page.inputValue("#search")).toBe("later 11");
    await page.evaluate("location.hash = 'message=message-1'");
    await expectShown(page, "#entries [aria-current] code").toEqual(["message-1"]);
  });

  it("is not found at its address once it is deleted, and there is a way back", async () => {
    const sandbox = await runSandbox();
    for (const to of [hello.to, other]) await post(sandbox, { ...hello, to });
    const page = await open(`${sandbox.url}/#message=message-1`);
    await expectShown(page, bubbles).toEqual(["Hello"]);
    await page.locator("#entries").getByRole("button", { name: "Delete" }).click();
    await expectShown(page, "main h2").toEqual(["No such message"]);
    await page.locator("#undo-button").click();
    await expectShown(page, "main h2").toEqual([hello.to]);
    // As a person types it.
    await page.goto(`${sandbox.url}/#to=${other}`);
    await expectShown(page, "main h2").toEqual([other]);
    await page.goto(`${sandbox.url}/#message=elsewhere`);
    await expectShown(page, "main h2").toEqual(["No such message"]);
    await page.click("#no-message a");
    await expectShown(page, "main h2").toEqual(["Choose a conversation"]);
    await page.goto(`${sandbox.url}/#message=message-2`);
    await page.locator("#clear").click();
    await expectShown(page, "main h2").toEqual(["No such message"]);
  });

  it("shows faults and refusals differently from a delivered message", async () => {
    const sandbox = await runSandbox({ credits: 0 });
    const page = await open(sandbox.url);
    await expectShown(page, "#connection").toEqual(["Live"]);
    await post(sandbox, { ...hello, to: "+254700000500" });
    await post(sandbox, { ...hello, to: "+254700000598" }).catch(() => "cut, as it should be");
    await post(sandbox, { ...hello, to: "+254712345678" }, { authorization: liveKey });
    await expectShown(page, "#conversations .snippet").toEqual([
      "402 refused: Insufficient SMS credits: 0 left\nHello",
      "the connection was cut SANDBOX\nHello",
      "500 injected\nHello",
    ]);
    await page.locator("a", { hasText: "000500" }).click();
    await expectShown(page, "#entries li").toEqual([
      "500 injected\n\nHello\n\n1 Jan, 00:00:00\nnot accepted\nINTERNAL_ERROR\nrequest 1",
    ]);
    await expectShown(page, bubbles).toEqual([]);
    await page.locator("a", { hasText: "000598" }).click();
    await expectShown(page, "#entries .problem").toEqual(["Accepted, but the connection was cut"]);
    await expectShown(page, bubbles).toEqual(["Hello"]);
    const faults = JSON.stringify({ faults: "reset-before:100%" });
    const headers = { "content-type": "application/json" };
    await fetch(`${sandbox.url}/_sandbox/account`, { method: "POST", headers, body: faults });
    await post(sandbox, { ...hello, to: other }).catch(() => "cut again");
    await page.locator("a", { hasText: other }).click();
    await expectShown(page, "#entries .problem").toEqual(["connection cut"]);
    await page.locator("#entries .facts a").click();
    await expectShown(page, "#exchange .reason").toEqual([expect.stringContaining("reset-before")]);
  });
});
