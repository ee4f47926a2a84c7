import { type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { onTestFinished } from "vitest";
import { browserPath } from "./needs.ts";
import { freePort } from "./free-port.ts";

/** The browser of all files that this worker runs. It ends with the worker. */
let browser: ReturnType<typeof launch> | undefined;

/** The page that one test after another uses: a page of its own for each would take half as much processor time again. */
let shared: Promise<Page> | undefined;

/** Opens that page, which may use the clipboard. */
export async function openPage(url: string): Promise<Page> {
  const page = await (shared ??= newPage({ permissions: ["clipboard-read", "clipboard-write"] }));
  onTestFinished(async () => {
    await page.goto("about:blank");
    await page.setViewportSize({ width: 1280, height: 720 });
  });
  await page.goto(url);
  return page;
}

/** Opens a page that shares nothing with other pages. */
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

/** The only window of a headless browser, of whose tabs only the one in front is visible. */
let tabs: Promise<BrowserContext> | undefined;

/** A window without tabs, for one test at a time. */
export async function browserWithTabs(): Promise<BrowserContext> {
  const context = await (tabs ??= launchWithTabs());
  onTestFinished(async () => {
    for (const page of context.pages()) await page.close();
  });
  return context;
}

async function launchWithTabs(): Promise<BrowserContext> {
  const port = await freePort();
  await launch(`--remote-debugging-port=${port}`);
  // The connection of the launch makes all its pages visible.
  const window = await chromium.connectOverCDP(`http://127.0.0.1:${port}`, { noDefaults: true });
  const [context] = window.contexts();
  if (context === undefined) throw new Error("the browser has no window");
  return context;
}

function launch(...args: readonly string[]) {
  return chromium.launch({ executablePath: browserPath ?? "chromium", args: ["--disable-gpu", ...args] });
}
