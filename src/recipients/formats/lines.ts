import { isUtf8 } from "node:buffer";
import { usageError } from "../../errors.ts";
import { type NamedList, notUtf8 } from "./encoding.ts";
import { maxRowBytes, type Row, type RowBatches } from "../row.ts";

/** The bytes are whole lines of valid UTF-8 without NUL; only the last line of a source may lack a line end. */
export interface Block {
  readonly line: number;
  readonly bytes: Buffer;
}

export interface Line {
  readonly line: number;
  readonly text: string;
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

/** Throws if a line is not UTF-8, has a NUL or is over 64 KiB. */
export async function* readBlocks(list: NamedList): AsyncGenerator<Block> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of list.chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    endLinesAtReturns(bytes);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const block = { line, bytes: bytes.subarray(0, end) };
      line += checkLines(block, list);
      yield block;
    }
    rest = bytes.subarray(end);
    if (rest.length > maxRowBytes) throw tooLong(line, list.name);
  }
  if (rest.length === 0) return;
  if (rest.at(-1) === carriageReturn) rest[rest.length - 1] = lineFeed;
  const last = { line, bytes: rest };
  checkLines(last, list);
  yield last;
}

/** The last byte waits for the next chunk, which may begin with LF. */
function endLinesAtReturns(bytes: Buffer): void {
  for (let at = bytes.indexOf(carriageReturn); at >= 0 && at < bytes.length - 1;) {
    if (bytes[at + 1] !== lineFeed) bytes[at] = lineFeed;
    at = bytes.indexOf(carriageReturn, at + 1);
  }
}

/** LF, CR LF or CR ends a line; U+2028 does not. */
export function linesOf({ line, bytes }: Block): readonly Line[] {
  const texts = bytes.toString("utf8").split("\n");
  if (texts.at(-1) === "") texts.pop();
  return texts.map((text, index) => ({
    line: line + index,
    text: text.endsWith("\r") ? text.slice(0, -1) : text,
  }));
}

function checkLines({ line, bytes }: Block, list: NamedList): number {
  const isText = !bytes.includes(0);
  const isValid = isText && isUtf8(bytes);
  let count = 0;
  for (let start = 0; start < bytes.length; count++) {
    const end = bytes.indexOf(lineFeed, start) + 1 || bytes.length;
    const part = bytes.subarray(start, end);
    if (part.length > maxRowBytes) throw tooLong(line + count, list.name);
    if (!isText && part.includes(0)) throw noText(part, line + count, list);
    if (isText && !isValid && !isUtf8(part)) throw notUtf8(part, line + count, list);
    start = end;
  }
  return count;
}

function noText(bytes: Buffer, line: number, { name, command }: NamedList): Error {
  // A letter of ASCII has its NUL in front in the one, and behind in the other.
  const encoding = bytes.indexOf(0) % 2 === 0 ? "utf-16be" : "utf-16le";
  return usageError(
    "INVALID_RECIPIENTS",
    `line ${line} of ${name} has a NUL, so it is no text`,
    `save the list as .xlsx, and give that file; if it is UTF-16, \`${command} --encoding ${encoding}\` reads it`,
  );
}

function tooLong(line: number, name: string): Error {
  const hint = "check that this is a list with a line for each recipient, which ends with LF, CRLF or CR";
  return usageError("INVALID_RECIPIENTS", `line ${line} of ${name} is longer than ${maxRowBytes / 1024} KiB`, hint);
}

export async function* readPlain(blocks: AsyncIterable<Block>): RowBatches {
  for await (const block of blocks) {
    yield linesOf(block)
      .map(({ line, text }): Row => ({ kind: "row", line, to: text.trim(), fields: {} }))
      .filter(({ to }) => to !== "" && !to.startsWith("#"));
  }
}
