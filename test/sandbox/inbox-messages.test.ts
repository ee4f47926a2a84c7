import { describe, expect, it } from "vitest";
import { openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { bubbles, expectShown, other, threadOf } from "./inbox-browser.ts";
import { hello, liveKey, post, runSandbox, sendAll } from "./running.ts";

describe("a message in the inbox", needs("Chromium"), () => {
  it("shows a message as written, with its segment boundaries, cost and sender", async () => {
    const sandbox = await runSandbox();
    const page = await open(threadOf(sandbox, hello.to));
    const message = `Two lines:\n${"x".repeat(142)}the rest`;
    await post(sandbox, { ...hello, message, senderIdName: "ACME" }, { authorization: liveKey });
    await expectShown(page, bubbles).toEqual([message]);
    expect(await page.locator(`${bubbles} .split`).getAttribute("aria-label")).toBe("segment 2 begins here");
    await expectShown(page, "#entries .facts").toEqual([
      "ACME\n1 Jan, 00:00:00\nlive\n2 segments · GSM-7\n2 credits · KES 1.60\nmessage-1",
    ]);
    await post(sandbox, { ...hello, message: "Jambo ✅" });
    await expectShown(page, "#entries li:last-child .facts").toEqual([
      "SANDBOX\n1 Jan, 00:00:00\ntest\n1 segment · UCS-2\n1 credit · KES 0.80, not charged\nmessage-2",
    ]);
    await expectShown(page, "#totals").toEqual(["2 messages · 3 segments"]);
    await expectShown(page, "footer p:first-child").toEqual([
      "2 messages · 2 credits · KES 1.60\n98 credits left · 100 requests a minute",
    ]);
  });

  it("shows control and bidirectional characters of a number and a sender", async () => {
    const sandbox = await runSandbox();
    const page = await open(sandbox.url);
    await post(sandbox, { ...hello, to: "half\ud800", senderIdName: "half\udc00" });
    await post(sandbox, { ...hello, to: "+254\u202e712\u0007", senderIdName: "AC\u2066ME" });
    await expectShown(page, "#conversations .to").toEqual(["+254U+202E712U+0007", "half\ufffd"]);
    await page.click("#conversations a");
    await expectShown(page, "#recipient").toEqual(["+254U+202E712U+0007"]);
    await expectShown(page, "#entries .facts b").toEqual(["ACU+2066ME"]);
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
    await expectShown(page, "#conversations .snippet").toEqual([`SANDBOX ${texts.at(-1)}`]);
    expect(await page.locator(".bubble *, .snippet :not(.from)").count()).toBe(0);
    // The content security policy refuses markup even if the page's code writes it.
    await expect(page.evaluate("document.body.innerHTML = '<b>markup</b>'")).rejects.toThrow("TrustedHTML");
    const script = "document.createElement('script')";
    await page.evaluate(`document.body.appendChild(${script}).append("document.title = 'run'")`);
    expect(await page.title()).toBe("sms sandbox");
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
    const sandbox = await runSandbox({ tier: "starter" });
    const address = `https://example.com/${"a".repeat(150)}`;
    await post(sandbox, {
      ...hello,
      message: `See ${address}. javascript:alert(1) http:// https://x.example/\u202eb"c\u001b[201~\nreboot\r`,
    });
    await sendAll(
      sandbox,
      Array.from({ length: 120 }, (_, n) => ({ ...hello, message: `later ${n}` })),
    );
    const page = await open(`${sandbox.url}/#message=message-1`, {
      permissions: ["clipboard-read", "clipboard-write"],
    });
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
    expect(await copied("Copy link")).toBe(`${sandbox.url}/#message=message-1`);
    expect(await copied("Copy text")).toMatch(/U\+202Eb"cU\+001B\[201~↵rebootU\+000D$/);
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
    await post(sandbox, { ...hello, to: "+254712000500" });
    await post(sandbox, { ...hello, to: "+254712000598" }).catch(() => "cut, as it should be");
    await post(sandbox, { ...hello, to: "+254712345678" }, { authorization: liveKey });
    await expectShown(page, "#conversations .snippet").toEqual([
      "402 refused Insufficient SMS credits: 0 left Hello",
      "the connection was cut SANDBOX Hello",
      "500 injected Hello",
    ]);
    await page.locator("a", { hasText: "000500" }).click();
    await expectShown(page, "#entries li").toEqual([
      "500 injected\n\nHello\n\n1 Jan, 00:00:00\ntest\nnot accepted\nINTERNAL_ERROR\nrequest 1",
    ]);
    await expectShown(page, bubbles).toEqual([]);
    await page.locator("a", { hasText: "000598" }).click();
    await expectShown(page, "#entries .problem").toEqual(["Accepted, but the connection was cut"]);
    await expectShown(page, bubbles).toEqual(["Hello"]);
    const faults = JSON.stringify({ faults: "reset-before:100%" });
    const headers = { "content-type": "application/json" };
    await fetch(`${sandbox.url}/_sandbox/faults`, { method: "POST", headers, body: faults });
    await post(sandbox, { ...hello, to: other }).catch(() => "cut again");
    await page.locator("a", { hasText: other }).click();
    await expectShown(page, "#entries .problem").toEqual(["connection cut"]);
    await page.locator("#entries .facts a").click();
    await expectShown(page, "#exchange .reason").toEqual([expect.stringContaining("reset-before")]);
  });
});
