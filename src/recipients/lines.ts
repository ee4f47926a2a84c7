import { isUtf8 } from "node:buffer";
import { usageError } from "../errors.ts";
import { longestRow, type Source } from "./row.ts";

/** Whole lines as they stand, each with its line end; only the last of a source may lack it. UTF-8, and without NUL. */
export interface Block {
  /** The number of the first line, from 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

/** A line without its line end. */
export interface Line {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from("\uFEFF");

/**
 * Cuts a source at line ends into blocks of about a chunk each, so that no line, and with it no character, is ever cut.
 * A byte order mark at its start is dropped. Throws a usage error that names the line for bytes that are not UTF-8, for a
 * NUL, and for a line over 64 KiB.
 */
export async function* readBlocks({ name, chunks }: Source): AsyncGenerator<Block> {
  let line = 1;
  let begun: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([begun, chunk]);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const block = { line, bytes: bytes.subarray(0, end) };
      line += checkLines(block, name);
      yield unmarked(block);
    }
    begun = bytes.subarray(end);
    if (begun.length > longestRow) throw tooLong(line, name);
  }
  if (begun.length === 0) return;
  checkLines({ line, bytes: begun }, name);
  yield unmarked({ line, bytes: begun });
}

/** The lines of a block. Only LF and CR LF end one: U+2028, or a CR alone, stands inside. */
export function linesOf({ line, bytes }: Block): readonly Line[] {
  const texts = bytes.toString("utf8").split("\n");
  if (texts.at(-1) === "") texts.pop();
  return texts.map((text, index) => ({
    line: line + index,
    text: text.endsWith("\r") ? text.slice(0, -1) : text,
  }));
}

/** Counts the lines of a block, and throws for the first that cannot be read. */
function checkLines({ line, bytes }: Block, name: string): number {
  const isSound = isUtf8(bytes) && !bytes.includes(0);
  let count = 0;
  for (let start = 0; start < bytes.length; count++) {
    const lineEnd = bytes.indexOf(lineFeed, start);
    const end = lineEnd < 0 ? bytes.length : lineEnd + 1;
    if (end - start > longestRow) throw tooLong(line + count, name);
    if (!isSound) checkText(bytes.subarray(start, end), line + count, name);
    start = end;
  }
  return count;
}

function checkText(bytes: Buffer, line: number, name: string): void {
  if (bytes.includes(0)) {
    throw usageError(
      "INVALID_RECIPIENTS",
      `line ${line} of ${name} has a NUL in it`,
      "NUL often means UTF-16: convert it to UTF-8, in a spreadsheet by saving it as CSV UTF-8",
    );
  }
  if (isUtf8(bytes)) return;
  throw usageError(
    "NOT_UTF8",
    `line ${line} of ${name} is not UTF-8 text`,
    "convert it to UTF-8 first, in a spreadsheet by saving it as CSV UTF-8",
  );
}

function tooLong(line: number, name: string): Error {
  return usageError(
    "INVALID_RECIPIENTS",
    `line ${line} of ${name} is longer than ${longestRow} bytes`,
    "check that this is the file of recipients, with a recipient a line",
  );
}

function unmarked({ line, bytes }: Block): Block {
  const isMarked = line === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return { line, bytes: isMarked ? bytes.subarray(byteOrderMark.length) : bytes };
}
