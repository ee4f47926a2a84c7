import { usageError } from "../errors.ts";
import { readCsv } from "./csv.ts";
import { delimiterOf, guessFormat } from "./format.ts";
import { type Block, linesOf, readBlocks } from "./lines.ts";
import { readNdjson } from "./ndjson.ts";
import { readPlain } from "./plain.ts";
import type { Format, Row, RowBatches, RowFault, Source } from "./row.ts";

/** What the person says of a source, where the guess would be wrong. */
export interface ReadOptions {
  readonly format?: Format | undefined;
  /** The name of the column of the number. */
  readonly toColumn?: string | undefined;
  /** Whether there may be nobody in it. */
  readonly mayBeEmpty?: boolean | undefined;
}

/**
 * Reads the rows of a source in their order, and a fault for each that cannot be read. Streams: memory does not grow with
 * the source. Throws a usage error where the source as a whole cannot be read, and where there is nobody in it.
 */
export async function* readRecipients(
  source: Source,
  options: ReadOptions = {},
): AsyncGenerator<Row | RowFault> {
  const blocks = readBlocks(source);
  try {
    let isEmpty = true;
    for await (const rows of readBatches(source.name, blocks, options)) {
      for (const row of rows) {
        isEmpty = false;
        yield row;
      }
    }
    if (isEmpty && !options.mayBeEmpty)
      throw usageError("NO_RECIPIENT", `there is no number in ${source.name}`);
  } finally {
    await blocks.return(undefined);
  }
}

async function* readBatches(
  name: string,
  blocks: AsyncGenerator<Block>,
  { format, toColumn }: ReadOptions,
): RowBatches {
  const first = await firstWithText(blocks);
  if (first === undefined) return;
  const all = startingWith(first.block, blocks);
  switch (format ?? guessFormat(name, first.text, toColumn !== undefined)) {
    case "plain":
      if (toColumn !== undefined) throw withoutColumns(name);
      yield* readPlain(all);
      break;
    case "csv":
      yield* readCsv(all, { name, delimiter: delimiterOf(first.text), toColumn });
      break;
    case "ndjson":
      yield* readNdjson(all, toColumn);
      break;
  }
}

/** The first block that is not blank, and its first line that is not. */
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

function withoutColumns(name: string): Error {
  return usageError(
    "INVALID_OPTION",
    `--to-column names a column, and ${name} is read as a number a line`,
    "give --format csv where it has columns",
  );
}
