import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { afterAll, beforeAll, onTestFinished } from "vitest";
import { browserPath } from "./needs.ts";

/** One headless browser for a file of tests; each call opens a page that shares nothing with the others. */
export function browserForFile(): (url: string, options?: BrowserContextOptions) => Promise<Page> {
  let browser: Awaited<ReturnType<typeof chromium.launch>>;
  beforeAll(async () => {
    browser = await chromium.launch({ executablePath: browserPath ?? "chromium", args: ["--disable-gpu"] });
  });
  afterAll(() => browser.close());
  return async (url, options) => {
    const context = await browser.newContext({ locale: "en-GB", timezoneId: "UTC", ...options });
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(url);
    return page;
  };
}
