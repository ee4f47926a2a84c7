import type { Page } from "playwright-core";
import { expect } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";

export const other = "+254712345679";
export const third = "+254712345670";

export const numbers = "#conversations .to";
export const bubbles = "#entries .bubble";

/** Expects what the page eventually shows of those elements, in reading order. */
export function expectShown(page: Page, selector: string) {
  return expect.poll(() => page.locator(selector).filter({ visible: true }).allInnerTexts(), {
    interval: 50,
  });
}

/** The address of the page with that conversation open. */
export function threadOf({ url }: Sandbox, to: string): string {
  return `${url}/#to=${encodeURIComponent(to)}`;
}
