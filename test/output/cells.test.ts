import { describe, expect, it } from "vitest";
import { wrappedText } from "../../src/output/layout.ts";

describe("text is wrapped", () => {
  it.each([
    ["between words", "one two three", 8, ["one two", "three"]],
    ["and a space at the break is dropped", "one two three", 7, ["one two", "three"]],
    ["within a word that is longer than a line", "to https://sms.example", 10, ["to https:/", "/sms.examp", "le"]],
    ["at line ends, which are shown", "one\ntwo\r\n three", 10, ["one⏎", "two⏎", " three"]],
    ["by columns, not characters", "你好 世界", 5, ["你好", "世界"]],
    ["never within what is seen as one character", "ab👨‍👩‍👧‍👦", 3, ["ab", "👨‍👩‍👧‍👦"]],
    ["without control characters", "a\u001b[2J", 20, ["a\\u001b[2J"]],
    ["and may be empty", "", 20, [""]],
  ])("%s", (_, text, width, lines) => {
    expect(wrappedText(text, width)).toEqual(lines);
  });
});
