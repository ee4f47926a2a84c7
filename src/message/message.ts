import { usageError } from "../errors.ts";
import { codePointOf } from "./encoding.ts";

/** In UTF-16 code units (docs/service-interface.md, 8, does not define "characters"). */
const maxLength = 1600;

/** Returns the text. Throws unless it has 1 to 1600 UTF-16 units, some not blank, no lone surrogate and no NUL. */
export function checkMessage(text: string): string {
  if (text === "") throw usageError("EMPTY_MESSAGE", "the message is empty", "give a text of at least one character");
  if (text.trim() === "") throw usageError("BLANK_MESSAGE", "the message is only white space", "give it some text");
  const over = text.length - maxLength;
  if (over > 0) {
    throw usageError(
      "MESSAGE_TOO_LONG",
      `the message has ${text.length.toLocaleString("en")} characters (UTF-16 code units); the limit is 1,600`,
      `shorten it by ${over}`,
    );
  }
  // With the flag u, the range matches lone surrogates only.
  const index = text.search(/[\0\uD800-\uDFFF]/u);
  if (index >= 0) throw invalid(text, index);
  return text;
}

/** The text without one final LF or CR LF, which files and piped commands usually end with. */
export function dropFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

/** The place of an index, such as `line 2, column 5`: both from 1, columns in characters. */
export function positionOf(text: string, index: number): string {
  const lines = text.slice(0, index).split("\n");
  return `line ${lines.length}, column ${Array.from(lines.at(-1) ?? "").length + 1}`;
}

function invalid(text: string, index: number): Error {
  const position = positionOf(text, index);
  if (text[index] === "\0") {
    return usageError(
      "INVALID_MESSAGE",
      `the message has a NUL at ${position}`,
      "remove it; if the file is UTF-16, convert it to UTF-8",
    );
  }
  return usageError(
    "INVALID_MESSAGE",
    `the message has half a character (lone surrogate ${codePointOf(text.charAt(index))}) at ${position}`,
    "restore the whole character, or remove the half",
  );
}
