import { type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { browserPath } from "./needs.ts";

/** The browser of all files that this worker runs. It ends with the worker. */
let browser: ReturnType<typeof launch> | undefined;

/** The page that one test after another uses: a page of its own for each would take half as much processor time again. */
let shared: Promise<Page> | undefined;

export async function openPage(url: string): Promise<Page> {
  const page = await (shared ??= newPage({ permissions: ["clipboard-read", "clipboard-write"] }));
  onTestFinished(async () => {
    await page.goto("about:blank");
    await page.setViewportSize({ width: 1280, height: 720 });
  });
  await page.goto(url);
  return page;
}

export async function openOwnPage(url: string, options?: BrowserContextOptions): Promise<Page> {
  const page = await newPage(options);
  onTestFinished(() => page.context().close());
  await page.goto(url);
  return page;
}

async function newPage(options?: BrowserContextOptions): Promise<Page> {
  const context = await (await (browser ??= launch())).newContext({ locale: "en-GB", timezoneId: "UTC", ...options });
  return context.newPage();
}

function launch() {
  return chromium.launch({ executablePath: browserPath ?? "chromium", args: ["--disable-gpu"] });
}
