import { type Stats, statSync } from "node:fs";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Columns } from "./columns.ts";
import type { Row, RowFault } from "./row.ts";

export interface Source {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The share of it that was read so far, from 0 to 1; absent if its size is not known. */
  readonly share?: () => number;
}

/** What a person should know of how a list was read, complete once it was read. */
export class ListFacts {
  sheet?: string;
  column?: { readonly name: string; readonly by: Columns["by"] };
  /** The header of a table, and where in it the numbers are. */
  columns?: Pick<Columns, "names" | "to" | "others">;
  /** Whether there is a header that names no column of numbers, and nothing below it. */
  isHeaderAlone = false;
  format?: "plain" | "ndjson" | "tables";
  readonly passed: string[] = [];
  formulaTexts = 0;
  /** Rows that the spreadsheet hides: left out, but read in a list that holds people back. */
  hiddenRows = 0;
  readonly hiddenColumns: string[] = [];
  /** Cells such as NULL, which are read as empty. */
  noValues = 0;
  /** Cells such as #REF!, which spoil a row only if it needs them. */
  unusableCells = 0;
  shortRows = 0;
}

/** Recipients of one send: the numbers of --to, and the rows of a list. */
export interface Recipients {
  /** Undefined if all are numbers of --to. */
  readonly source: Pick<Source, "name" | "share"> | undefined;
  readonly facts: ListFacts;
  /** The command that sorts the list out; undefined if all are numbers of --to. */
  readonly clean: string | undefined;
  /** Whether it is no error that nobody is left to send to. */
  readonly mayBeNone: boolean;
  readonly rows: AsyncIterable<Row | RowFault>;
  /** The same rows, to be read before, if only the end of the list tells which rows are left out. */
  readonly firstReading?: AsyncIterable<Row | RowFault>;
}

/** Opens the file at a path, or standard input for `-`. Reading throws `UNREADABLE_FILE` with the name of its option. */
export function openSource(
  path: string,
  { stdin, readFile }: Pick<Host, "stdin" | "readFile">,
  option = "--recipients",
): Source {
  if (path === "-") return { name: "standard input", chunks: stdin.chunks() };
  const before = statsOf(path);
  const size = before?.size ?? 0;
  let read = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of readFile(path)) {
        read += chunk.length;
        yield chunk;
      }
    } catch (error) {
      const { unreadableFile } = await import("../files/unreadable-file.ts");
      throw unreadableFile(error, path, option) ?? error;
    }
    const after = statsOf(path);
    if (before?.size === after?.size && before?.mtimeMs === after?.mtimeMs) return;
    throw usageError("UNREADABLE_FILE", `${path} changed while it was read (${option})`, "wait until it is written");
  }
  return { name: path, chunks: chunks(), ...(size > 0 && { share: () => Math.min(1, read / size) }) };
}

/** Yields what was read already, then the rest, which is closed with it. */
export async function* startingWith<Item>(first: readonly Item[], rest: AsyncIterator<Item>): AsyncGenerator<Item> {
  try {
    yield* first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

export function remembering(source: Source): Source {
  const kept: Uint8Array[] = [];
  let isWhole = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (isWhole) return yield* kept;
    for await (const chunk of source.chunks) {
      kept.push(chunk);
      yield chunk;
    }
    isWhole = true;
  }
  return { ...source, chunks: { [Symbol.asyncIterator]: chunks } };
}

/** Returns nothing for what is no file, as a pipe, and for a file that cannot be read. */
function statsOf(path: string): Stats | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}
