import { isUtf8 } from "node:buffer";
import { statSync } from "node:fs";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { maxRowBytes, type Row, type RowBatches, type Source } from "./row.ts";

/** Whole lines of valid UTF-8 without NUL, line ends included; only the last line of a source may lack one. */
export interface Block {
  /** The number of the first line, from 1. */
  readonly line: number;
  readonly bytes: Buffer;
}

export interface Line {
  /** From 1. */
  readonly line: number;
  readonly text: string;
}

const lineFeed = 0x0a;
const byteOrderMark = Buffer.from("\uFEFF");

/**
 * Splits a source at line ends into blocks of about one chunk each, without a byte order mark. Throws a usage error that
 * names the line if it is not UTF-8 (`NOT_UTF8`), has a NUL or is over 64 KiB (`INVALID_RECIPIENTS`).
 */
export async function* readBlocks({ name, chunks }: Source): AsyncGenerator<Block> {
  let line = 1;
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([rest, chunk]);
    if (line === 1) await refuseBinary(bytes, name);
    const end = bytes.lastIndexOf(lineFeed) + 1;
    if (end > 0) {
      const block = { line, bytes: bytes.subarray(0, end) };
      line += checkLines(block, name);
      yield withoutMark(block);
    }
    rest = bytes.subarray(end);
    if (rest.length > maxRowBytes) throw tooLong(line, name);
  }
  if (rest.length === 0) return;
  checkLines({ line, bytes: rest }, name);
  yield withoutMark({ line, bytes: rest });
}

/** The first characters of files that people give in place of text, as in `file-kind.ts`. */
const binaryStarts = ["PK", "\u00D0\u00CF", "\u00FF\u00FE", "\u00FE\u00FF", "\u001F\u008B", "%P"];

async function refuseBinary(bytes: Buffer, name: string): Promise<void> {
  const start = bytes.toString("latin1", 0, 2);
  if (!binaryStarts.includes(start)) return;
  const { binaryFault } = await import("./format.ts");
  const fault = binaryFault(bytes, name);
  if (fault !== undefined) throw fault;
}

/** The lines of a block. Only LF and CR LF end a line; U+2028 or a lone CR does not. */
export function linesOf({ line, bytes }: Block): readonly Line[] {
  const texts = bytes.toString("utf8").split("\n");
  if (texts.at(-1) === "") texts.pop();
  return texts.map((text, index) => ({
    line: line + index,
    text: text.endsWith("\r") ? text.slice(0, -1) : text,
  }));
}

/** Returns the number of lines; throws for the first invalid one. */
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

function checkText(bytes: Buffer, line: number, name: string): void {
  if (bytes.includes(0)) {
    throw usageError(
      "INVALID_RECIPIENTS",
      `line ${line} of ${name} has a NUL`,
      "if the file is UTF-16, convert it to UTF-8; in a spreadsheet, save it as CSV UTF-8",
    );
  }
  if (isUtf8(bytes)) return;
  throw usageError(
    "NOT_UTF8",
    `line ${line} of ${name} is not UTF-8 text`,
    "convert it to UTF-8; in a spreadsheet, save it as CSV UTF-8",
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

/** Reads one number per line; skips blank lines and lines that start with `#`. */
export async function* readPlain(blocks: AsyncIterable<Block>): RowBatches {
  for await (const block of blocks) {
    yield linesOf(block)
      .map(({ line, text }): Row => ({ kind: "row", line, to: text.trim(), fields: {} }))
      .filter(({ to }) => to !== "" && !to.startsWith("#"));
  }
}

/** The file at a path, or standard input for `-`. Reading throws a usage error `UNREADABLE_FILE` with the name of its option. */
export function openSource(
  path: string,
  { stdin, readFile }: Pick<Host, "stdin" | "readFile">,
  option = "--recipients",
): Source {
  if (path === "-") return { name: "standard input", chunks: stdin.chunks() };
  const size = sizeOf(path);
  let read = 0;
  const chunks = readable(path, readFile(path), option, (bytes) => (read += bytes));
  return { name: path, chunks, ...(size > 0 && { share: () => Math.min(1, read / size) }) };
}

/** Returns the size of a file; 0 for anything else, and for a file that cannot be read. */
function sizeOf(path: string): number {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats.size : 0;
  } catch {
    return 0;
  }
}

async function* readable(
  path: string,
  chunks: AsyncIterable<Uint8Array>,
  option: string,
  onRead: (bytes: number) => void,
): AsyncGenerator<Uint8Array> {
  try {
    for await (const chunk of chunks) {
      onRead(chunk.length);
      yield chunk;
    }
  } catch (error) {
    const { unreadableFile } = await import("../message/unreadable-file.ts");
    const fault = unreadableFile(error, path, option);
    if (fault === undefined) throw error;
    throw usageError("UNREADABLE_FILE", fault.message, fault.hint);
  }
}
