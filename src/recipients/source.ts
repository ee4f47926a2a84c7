import { type Stats, statSync } from "node:fs";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import type { Columns } from "./columns.ts";
import type { CleanWords } from "./faults.ts";
import type { Row, RowFault } from "./row.ts";

export interface Source {
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** A share from 0 to 1; absent if the size of the source is not known. */
  readonly share?: () => number;
}

/** The facts are complete once the list was read. */
export class ListFacts {
  sheet?: string;
  columns?: Columns;
  /** The header names no column of numbers, and nothing is below the header. */
  isHeaderAlone = false;
  format?: "plain" | "ndjson" | "tables";
  isUtf16 = false;
  readonly passed: string[] = [];
  /** Rows whose number is behind a #, and the places of the first. */
  readonly commentedOut = { count: 0, first: [] as string[] };
  formulaTexts = 0;
  /** Hidden rows are left out, but a list that holds people back has them. */
  hiddenRows = 0;
  readonly hiddenColumns: string[] = [];
  /** Cells such as NULL are read as empty. */
  noValues = 0;
  /** Cells such as #REF! spoil a row only if the row needs them. */
  unusableCells = 0;
  shortRows = 0;
}

export interface Recipients {
  /** Undefined if all are numbers of --to. */
  readonly source: Pick<Source, "name" | "share"> | undefined;
  readonly facts: ListFacts;
  /** Undefined if all are numbers of --to. */
  readonly clean: CleanWords | undefined;
  /** The command has --skip-invalid. */
  readonly maySkip: boolean;
  /** It is no error if nobody is left to send to. */
  readonly mayBeNone: boolean;
  readonly rows: AsyncIterable<Row | RowFault>;
  /** If only the end of the list tells which rows are left out, these rows are read before. */
  readonly firstReading?: AsyncIterable<Row | RowFault>;
}

/** Opens standard input for `-`. Reading throws `UNREADABLE_FILE` with the name of its option. */
export function openSource(
  path: string,
  { stdin, readFile }: Pick<Host, "stdin" | "readFile">,
  option = "--recipients",
): Source {
  if (path === "-") return { name: "standard input", chunks: stdin.chunks() };
  const before = statsOf(path);
  const size = before?.size ?? 0;
  let bytes = 0;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    try {
      for await (const chunk of readFile(path)) {
        bytes += chunk.length;
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
  return { name: path, chunks: chunks(), ...(size > 0 && { share: () => Math.min(1, bytes / size) }) };
}

/** The rest is closed with the result. */
export async function* startingWith<Item>(first: readonly Item[], rest: AsyncIterator<Item>): AsyncGenerator<Item> {
  try {
    yield* first;
    for (let next = await rest.next(); next.done !== true; next = await rest.next()) yield next.value;
  } finally {
    await rest.return?.();
  }
}

export function remembering(source: Source): Source {
  const first: Uint8Array[] = [];
  let isWhole = false;
  async function* chunks(): AsyncGenerator<Uint8Array> {
    if (isWhole) return yield* first;
    for await (const chunk of source.chunks) {
      first.push(chunk);
      yield chunk;
    }
    isWhole = true;
  }
  return { ...source, chunks: { [Symbol.asyncIterator]: chunks } };
}

/** Undefined for a pipe, and for a file that cannot be read. */
function statsOf(path: string): Stats | undefined {
  try {
    const stats = statSync(path);
    return stats.isFile() ? stats : undefined;
  } catch {
    return undefined;
  }
}
