import { usageError } from "../errors.ts";
import { readCsv } from "./csv.ts";
import { delimiterOf, guessFormat, refuseOtherText } from "./format.ts";
import { type Block, linesOf, readBlocks, readPlain } from "./lines.ts";
import { readNdjson } from "./ndjson.ts";
import type { Format, Row, RowBatches, RowFault } from "./row.ts";
import type { Source } from "./source.ts";

export interface ReadOptions {
  readonly format?: Format | undefined;
  readonly toColumn?: string | undefined;
  readonly mayBeEmpty?: boolean | undefined;
}

/** Yields rows and faults in order, in bounded memory. Throws if the source is unreadable as a whole, or empty. */
export async function* readRecipients(source: Source, options: ReadOptions = {}): AsyncGenerator<Row | RowFault> {
  const blocks = readBlocks(source);
  try {
    for await (const rows of readBatches(source.name, blocks, options)) {
      yield* rows;
      // Generators that wait keep what they yielded, and rows that garbage collections find alive are taken for long-lived.
      rows.length = 0;
    }
  } finally {
    await blocks.return(undefined);
  }
}

async function* readBatches(
  name: string,
  blocks: AsyncGenerator<Block>,
  { format, toColumn, mayBeEmpty = false }: ReadOptions,
): RowBatches {
  const first = await firstWithText(blocks);
  if (first === undefined) {
    if (mayBeEmpty) return;
    throw noRecipient(name, "is empty", "give one number a line, or CSV with a header");
  }
  if (format === undefined || format === "ndjson") refuseOtherText(name, first.text, format);
  const found = format ?? guessFormat(name, first.text, toColumn !== undefined);
  let isEmpty = true;
  for await (const rows of rowsIn(found, startingWith(first.block, blocks), name, first.text, toColumn)) {
    if (rows.length > 0) isEmpty = false;
    yield rows;
  }
  if (!isEmpty || mayBeEmpty) return;
  if (found !== "csv") throw noRecipient(name, "has only comments", "give one number a line");
  throw noRecipient(name, "has a header and no rows", "add a line for each recipient below the header");
}

function noRecipient(name: string, what: string, hint: string): Error {
  return usageError("NO_RECIPIENT", `${name} ${what}`, hint);
}

function rowsIn(
  format: Format,
  blocks: AsyncIterable<Block>,
  name: string,
  firstLine: string,
  toColumn: string | undefined,
): RowBatches {
  switch (format) {
    case "plain":
      if (toColumn === undefined) return readPlain(blocks);
      throw usageError(
        "INVALID_OPTION",
        `--to-column needs columns, but ${name} is read as one number per line`,
        "add --format csv if it has columns",
      );
    case "csv":
      return readCsv(blocks, { name, delimiter: delimiterOf(firstLine), toColumn });
    case "ndjson":
      return readNdjson(blocks, toColumn);
  }
}

async function firstWithText(
  blocks: AsyncGenerator<Block>,
): Promise<{ readonly block: Block; readonly text: string } | undefined> {
  for (let next = await blocks.next(); next.done !== true; next = await blocks.next()) {
    const line = linesOf(next.value).find(({ text }) => text.trim() !== "");
    if (line !== undefined) return { block: next.value, text: line.text };
  }
  return undefined;
}

async function* startingWith(first: Block, rest: AsyncIterable<Block>): AsyncGenerator<Block> {
  yield first;
  yield* rest;
}
