import axe from "axe-core";
import { describe, expect, it } from "vitest";
import { openPage as open } from "../support/browser.ts";
import { needs } from "../support/needs.ts";
import { expectShown, threadOf } from "./inbox-browser.ts";
import { hello, post, runSandbox, tell } from "./running.ts";

const phone = { viewport: { width: 390, height: 844 } };

describe("the layout of the inbox", needs("Chromium"), () => {
  it("shows the list or one conversation on a phone, within its width", async () => {
    const sandbox = await runSandbox();
    const text = "A text in place of the number. ".repeat(40);
    await post(sandbox, { to: text, message: hello.to });
    const page = await open(threadOf(sandbox, text), phone);
    await expect.poll(async () => ((await page.locator(".why").boundingBox())?.y ?? 844) < 200).toBe(true);
    await fetch(`${sandbox.url}/_sandbox/messages`, { method: "DELETE" });
    await post(sandbox, { ...hello, message: `https://example.com/${"long".repeat(40)}` });
    await page.goto(sandbox.url);
    const tooWide =
      "[...document.querySelectorAll('html, nav, #scroll')].filter((one) => one.scrollWidth > one.clientWidth).length";
    await expectShown(page, "nav, main > *").toEqual([expect.stringContaining(hello.to)]);
    expect(await page.evaluate(tooWide)).toBe(0);
    await page.locator("#conversations a").click();
    await expectShown(page, "nav, #recipient").toEqual([hello.to]);
    expect(await page.evaluate(tooWide)).toBe(0);
    await tell(sandbox, "faults", { faults: "reset-after:10%", seed: 7 });
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 640 });
      await expectShown(page, "body > header > *, #recipient").toEqual([
        "sms sandbox",
        "Faults: reset-after:10%, seed 7",
        hello.to,
      ]);
      expect(await page.locator("#active").boundingBox()).toMatchObject({ x: 0, y: 0, width });
      expect(await page.evaluate("document.elementFromPoint(20, 10).id")).toBe("active");
    }
    await tell(sandbox, "faults", { faults: "none" });
    await expectShown(page, "#active").toEqual([]);
    expect((await page.locator("#back").boundingBox())?.y).toBeLessThan(20);
    await page.locator("#back").click();
    await expectShown(page, "nav, #recipient").toEqual([expect.stringContaining("1 Jan")]);
  });

  it("has enough contrast in the light and the dark theme", async () => {
    const sandbox = await runSandbox();
    for (const to of ["+254712000598", "+254712000500"]) await post(sandbox, { ...hello, to }).catch(() => {});
    await post(sandbox, { ...hello, to: "+254712000598", message: "\u0007".repeat(200) }).catch(() => {});
    const page = await open(sandbox.url);
    await post(sandbox, hello);
    const papers = [];
    for (const colorScheme of ["light", "dark"] as const) {
      await page.emulateMedia({ colorScheme });
      papers.push(await page.evaluate("getComputedStyle(document.body).backgroundColor"));
      for (const to of ["+254712000598", "+254712000500"]) {
        await page.locator("a", { hasText: to }).click();
        await expectShown(page, "#recipient").toEqual([to]);
        const pairs = await page.evaluate<readonly Pair[]>(inkAndPaper);
        expect(pairs.length).toBeGreaterThan(20);
        expect(pairs.filter(({ ink, paper }) => contrast(ink, paper) < 4.5)).toEqual([]);
      }
    }
    expect(papers).toEqual(["rgb(255, 255, 255)", "rgb(25, 29, 32)"]);
  });

  it("has no findings of axe in any view, nor anything too wide at 320 pixels", async () => {
    const sandbox = await runSandbox();
    const page = await open(sandbox.url, { viewport: { width: 320, height: 640 } });
    const check = async (address: string, selector: string) => {
      await page.goto(`${sandbox.url}/${address}`);
      await expect.poll(() => page.locator(selector).isVisible()).toBe(true);
      await page.evaluate(axe.source);
      const found = await page.evaluate<readonly string[]>(
        "axe.run().then(({ violations }) => violations.map(({ id, nodes }) => id + ': ' + nodes.map((node) => node.html)))",
      );
      expect([address, ...found]).toEqual([address]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBe(320);
    };
    await check("", "#empty");
    await check("#requests", "#no-requests");
    await post(sandbox, { ...hello, message: "a".repeat(400) });
    await post(sandbox, { ...hello, senderIdName: "OTHER" });
    await page.goto("about:blank");
    await check("", "#conversations a");
    await page.goto("about:blank");
    await check(`#to=${encodeURIComponent(hello.to)}`, "#entries");
    await tell(sandbox, "faults", { faults: "500:5%,reset-after:10%,hang:2%,latency:5..30" });
    await page.goto("about:blank");
    await check("#request=2", "#exchange");
    await page.goto("about:blank");
    await check("#message=gone", "#no-message");
    await page.goto("about:blank");
    await check("#request=99", "#no-request");
    await page.goto("about:blank");
    await check("#faults", "#command");
  });
});

interface Pair {
  readonly what: string;
  readonly ink: readonly number[];
  readonly paper: readonly number[];
}

/** Every visible text of the page with its colour and the colour behind it. Runs in the page. */
const inkAndPaper = `(() => {
  const channels = (color) => color.match(/[\\d.]+/g).map(Number);
  const paperOf = (one) => {
    const color = channels(getComputedStyle(one).backgroundColor);
    return color[3] === 0 ? paperOf(one.parentElement) : color;
  };
  return [...document.querySelectorAll("body *")]
    .filter((one) => one.checkVisibility() && [...one.childNodes].some((node) => node.nodeType === 3 && node.data.trim()))
    .map((one) => ({ what: one.outerHTML.slice(0, 80), ink: channels(getComputedStyle(one).color), paper: paperOf(one) }));
})()`;

/** The contrast of two colours (WCAG 2.2, relative luminance). */
function contrast(ink: readonly number[], paper: readonly number[]): number {
  const [dark = 0, light = 0] = [luminance(ink), luminance(paper)].sort((a, b) => a - b);
  return (light + 0.05) / (dark + 0.05);
}

function luminance([red = 0, green = 0, blue = 0]: readonly number[]): number {
  const [r = 0, g = 0, b = 0] = [red, green, blue].map((channel) => {
    const share = channel / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}
