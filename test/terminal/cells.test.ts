import { describe, expect, it } from "vitest";
import { shownText, wrapped } from "../../src/terminal/layout.ts";

const people = "👨‍👩‍👧‍👦".repeat(11);

describe("text is wrapped", () => {
  it.each([
    ["between words, and a space at the break is dropped", "one two three four five", ["one two three four", "five"]],
    ["after a line that is full", "one two three four 5 six", ["one two three four 5", "six"]],
    ["within a word that is longer than a line", "to https://sms.example/api", ["to https://sms.examp", "le/api"]],
    ["at line ends, which are shown", "one\ntwo\r\n three", ["one⏎", "two⏎", " three"]],
    ["by columns, not characters", "你好世界 你好世界 你好世界", ["你好世界 你好世界", "你好世界"]],
    ["never within what is seen as one character", people, [people.slice(0, -11), people.slice(-11)]],
    ["without control characters", "a\u001b[2J", ["a\\u001b[2J"]],
    ["and may be empty", "", [""]],
  ])("%s", (_, text, lines) => {
    expect(wrapped(shownText(text), 20)).toEqual(lines);
  });
});
