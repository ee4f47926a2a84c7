import { isUtf8 } from "node:buffer";
import { usageError } from "../errors.ts";
import { notUtf8, toUtf8 } from "./encoding.ts";
import { maxRowBytes, type Row, type RowBatches } from "./row.ts";
import type { Source } from "./source.ts";

/** Whole lines of valid UTF-8 without NUL, line ends included; only the last line of a source may lack one. */
export interface Block {
  readonly line: number;
  readonly bytes: Buffer;
}

export interface Line {
  readonly line: number;
  readonly text: string;
}

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from("\uFEFF");

/** Splits a source at line ends into blocks of about a chunk. Throws if a line is not UTF-8, has a NUL or is over 64 KiB. */
export async function* readBlocks(
  { name, chunks }: Source,
  onUtf16 = () => {},
  encoding?: string,
): AsyncGenerator<Block> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of toUtf8(chunks, name, onUtf16, encoding)) {
    const bytes = Buffer.concat([rest, chunk]);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const block = { line, bytes: bytes.subarray(0, end) };
      line += checkLines(block, name);
      yield withoutMark(block);
    }
    rest = bytes.subarray(end);
    if (rest.length > maxRowBytes) throw endsWithReturns(rest, line) ? returns(name) : tooLong(line, name);
  }
  if (rest.length === 0) return;
  if (endsWithReturns(rest, line)) throw returns(name);
  checkLines({ line, bytes: rest }, name);
  yield withoutMark({ line, bytes: rest });
}

/** Returns the lines of a block. Only LF and CR LF end a line; U+2028 or a lone CR does not. */
export function linesOf({ line, bytes }: Block): readonly Line[] {
  const texts = bytes.toString("utf8").split("\n");
  if (texts.at(-1) === "") texts.pop();
  return texts.map((text, index) => ({
    line: line + index,
    text: text.endsWith("\r") ? text.slice(0, -1) : text,
  }));
}

export async function* linesAfter(line: number, blocks: AsyncIterable<Block>): AsyncGenerator<Block> {
  for await (const block of blocks) {
    let start = 0;
    for (let passed = block.line; passed <= line; passed++) {
      const end = block.bytes.indexOf(lineFeed, start);
      start = end < 0 ? block.bytes.length : end + 1;
    }
    const bytes = block.bytes.subarray(start);
    if (bytes.length > 0) yield { line: Math.max(block.line, line + 1), bytes };
  }
}

function checkLines({ line, bytes }: Block, name: string): number {
  const isValid = isUtf8(bytes) && !bytes.includes(0);
  let count = 0;
  for (let start = 0; start < bytes.length; count++) {
    const lineEnd = bytes.indexOf(lineFeed, start);
    const end = lineEnd < 0 ? bytes.length : lineEnd + 1;
    if (end - start > maxRowBytes) throw tooLong(line + count, name);
    if (!isValid) checkText(bytes.subarray(start, end), line + count, name);
    start = end;
  }
  return count;
}

/** Whether a text without a line feed has lines that end with a carriage return, as on the first Macs: all would be the header. */
function endsWithReturns(bytes: Buffer, line: number): boolean {
  return line === 1 && !bytes.includes(0) && /[^\r]\r+[^\r]/.test(bytes.toString("latin1").replace(/"[^"]*"/g, ""));
}

function checkText(bytes: Buffer, line: number, name: string): void {
  if (bytes.includes(0)) {
    throw usageError(
      "INVALID_RECIPIENTS",
      `line ${line} of ${name} has a NUL`,
      "if the file is UTF-16, convert it to UTF-8; in a spreadsheet, save it as CSV UTF-8",
    );
  }
  if (!isUtf8(bytes)) throw notUtf8(bytes, line, name);
}

function returns(name: string): Error {
  const from = name === "standard input" ? "OLD.csv" : name;
  return usageError(
    "INVALID_RECIPIENTS",
    `the lines of ${name} end with a carriage return alone`,
    `convert it: \`tr '\\r' '\\n' < ${from} > NEW.csv\``,
  );
}

function tooLong(line: number, name: string): Error {
  return usageError(
    "INVALID_RECIPIENTS",
    `line ${line} of ${name} is longer than ${maxRowBytes / 1024} KiB`,
    "check that this is a file of recipients with one recipient per line",
  );
}

function withoutMark({ line, bytes }: Block): Block {
  const isMarked = line === 1 && bytes.subarray(0, byteOrderMark.length).equals(byteOrderMark);
  return { line, bytes: isMarked ? bytes.subarray(byteOrderMark.length) : bytes };
}

export async function* readPlain(blocks: AsyncIterable<Block>): RowBatches {
  for await (const block of blocks) {
    yield linesOf(block)
      .map(({ line, text }): Row => ({ kind: "row", line, to: text.trim(), fields: {} }))
      .filter(({ to }) => to !== "" && !to.startsWith("#"));
  }
}
