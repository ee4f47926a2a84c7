import { expect, it } from "vitest";
import { agoText, kes } from "../../src/terminal/text.ts";
import { plural } from "../../src/words/count.ts";

it.each([
  [0, "0 messages"],
  [1, "1 message"],
  [999, "999 messages"],
  [1_234_567, "1,234,567 messages"],
  [-1234, "-1,234 messages"],
  [1234.56789, "1,234.56789 messages"],
])("%d is counted as %s", (count, text) => {
  expect(plural(count, "message")).toBe(text);
});

it.each([
  [0.8, "KES 0.80"],
  [1234.5, "KES 1,234.50"],
  [800_000, "KES 800,000.00"],
])("an amount of %d is %s", (amount, text) => {
  expect(kes(amount)).toBe(text);
});

it.each([
  [-5_000, "just now"],
  [59_999, "just now"],
  [60_000, "1 min ago"],
  [3_599_999, "59 min ago"],
  [3_600_000, "1 h ago"],
  [86_400_000, "1 day ago"],
  [30 * 86_400_000, "30 days ago"],
  [31 * 86_400_000, "2026-10-22"],
])("%d ms before now is %s", (age, text) => {
  const now = Date.UTC(2026, 10, 22, 12);
  expect(agoText(now - age, now)).toBe(text);
});
