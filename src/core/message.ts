import { usageError } from "../errors.ts";

/** The most UTF-16 code units that a message may have. */
const longestMessage = 1600;

/**
 * Checks that a text may be sent: 1 to 1600 UTF-16 code units, no lone surrogate, no NUL. Gives it back as it is; throws
 * a usage error `EMPTY_MESSAGE`, `MESSAGE_TOO_LONG` or `INVALID_MESSAGE` that says what is wrong and where.
 */
export function checkMessage(text: string): string {
  if (text === "")
    throw usageError("EMPTY_MESSAGE", "the message is empty", "give it at least one character");
  const over = text.length - longestMessage;
  if (over > 0) {
    throw usageError(
      "MESSAGE_TOO_LONG",
      `the message has ${text.length} characters (UTF-16 code units), and the limit is ${longestMessage}`,
      `shorten it by ${over}`,
    );
  }
  // With the flag u this finds lone surrogates only.
  const index = text.search(/[\0\uD800-\uDFFF]/u);
  if (index >= 0) throw invalid(text, index);
  return text;
}

/** The text without the one line end, LF or CR LF, that files and pipes put at the end of what they hold. */
export function dropFinalNewline(text: string): string {
  return text.replace(/\r?\n$/, "");
}

function invalid(text: string, index: number): Error {
  const lines = text.slice(0, index).split("\n");
  const column = Array.from(lines.at(-1) ?? "").length + 1;
  const place = `at line ${lines.length}, column ${column}`;
  if (text[index] === "\0") {
    return usageError(
      "INVALID_MESSAGE",
      `the message has a NUL ${place}`,
      "remove it; in a file, NUL often means UTF-16: convert the file to UTF-8",
    );
  }
  const codePoint = `U+${text.charCodeAt(index).toString(16).toUpperCase()}`;
  return usageError(
    "INVALID_MESSAGE",
    `the message has half a character, the lone surrogate ${codePoint}, ${place}`,
    "a character was cut in two there: write it whole, or remove what is left of it",
  );
}
