import { expect, it } from "vitest";
import { shownText, wrapped } from "../../src/terminal/layout.ts";
import { agoText } from "../../src/terminal/ago.ts";
import { kes } from "../../src/terminal/text.ts";
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

const people = "👨‍👩‍👧‍👦".repeat(11);

it.each([
  ["between words, and a space at the break is dropped", "one two three four five", ["one two three four", "five"]],
  ["after a line that is full", "one two three four 5 six", ["one two three four 5", "six"]],
  ["within a word that is longer than a line", "to https://sms.example/api", ["to https://sms.examp", "le/api"]],
  ["at line ends, which are shown", "one\ntwo\r\n three", ["one⏎", "two⏎", " three"]],
  ["by columns, not characters", "你好世界 你好世界 你好世界", ["你好世界 你好世界", "你好世界"]],
  ["never within what is seen as one character", people, [people.slice(0, -11), people.slice(-11)]],
  ["without control characters", "a\u001b[2J", ["a\\u001b[2J"]],
  ["and may be empty", "", [""]],
])("text is wrapped %s", (_, text, lines) => {
  expect(wrapped(shownText(text), 20)).toEqual(lines);
});
