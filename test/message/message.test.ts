import { describe, expect, test } from "vitest";
import { checkMessage, dropFinalNewline } from "../../src/message/message.ts";
import { SmsError } from "../../src/errors.ts";

const halfHint = "restore the whole character, or remove the half";

describe("checkMessage", () => {
  test.each([
    ["one character", "a"],
    ["1600 characters", "a".repeat(1600)],
    ["1600 code units of surrogate pairs", "😀".repeat(800)],
    ["control characters other than NUL", "\u0001\u001b\u007f\u0085"],
    ["noncharacters and joiners", "\ufffe\u200d"],
  ])("returns %s unchanged", (_, text) => {
    expect(checkMessage(text)).toBe(text);
  });

  test.each([
    ["nothing", "", "EMPTY_MESSAGE", "the message is empty", "give a text of at least one character"],
    ["white space", " \t\r\n\u00a0", "BLANK_MESSAGE", "the message is only white space", "give it some text"],
    [
      "one code unit too many",
      "a".repeat(1601),
      "MESSAGE_TOO_LONG",
      "the message has 1,601 characters (UTF-16 code units); the limit is 1,600",
      "shorten it by 1",
    ],
    [
      "801 emoji",
      "😀".repeat(801),
      "MESSAGE_TOO_LONG",
      "the message has 1,602 characters (UTF-16 code units); the limit is 1,600",
      "shorten it by 2",
    ],
    ["a lone high surrogate", "ab\ud83d", "INVALID_MESSAGE", loneSurrogate("U+D83D", 1, 3), halfHint],
    ["a lone low surrogate", "😀\n😀 \udc00", "INVALID_MESSAGE", loneSurrogate("U+DC00", 2, 3), halfHint],
    ["surrogates in the wrong order", "\udc00\ud83d", "INVALID_MESSAGE", loneSurrogate("U+DC00", 1, 1), halfHint],
    [
      "NUL",
      "a\r\n😀\n\nb\0",
      "INVALID_MESSAGE",
      "the message has a NUL at line 4, column 2",
      "remove it; if the file is UTF-16, convert it to UTF-8",
    ],
  ])("refuses %s", (_, text, errorCode, message, hint) => {
    expect(refusalOf(text)).toEqual({ kind: "usage", errorCode, message, hint });
  });
});

describe("dropFinalNewline", () => {
  test.each([
    ["LF", "a\n", "a"],
    ["CR LF", "a\r\n", "a"],
    ["only the last of several", "a\n\n", "a\n"],
    ["only the last of several CR LF", "a\r\n\r\n", "a\r\n"],
    ["all of a text that is one LF", "\n", ""],
    ["no line end inside", "a\nb", "a\nb"],
    ["no lone CR", "a\r", "a\r"],
    ["nothing from an empty text", "", ""],
  ])("drops %s", (_, text, expected) => {
    expect(dropFinalNewline(text)).toBe(expected);
  });
});

function loneSurrogate(codePoint: string, line: number, column: number): string {
  return `the message has half a character (lone surrogate ${codePoint}) at line ${line}, column ${column}`;
}

function refusalOf(text: string): unknown {
  try {
    checkMessage(text);
  } catch (error) {
    if (!(error instanceof SmsError)) throw error;
    return { kind: error.kind, errorCode: error.errorCode, message: error.message, hint: error.hint };
  }
  return undefined;
}
