import { usageError } from "../errors.ts";
import { readCsv } from "./csv.ts";
import { delimiterOf, guessFormat } from "./format.ts";
import { type Block, linesOf, readBlocks } from "./lines.ts";
import { readNdjson } from "./ndjson.ts";
import { readPlain } from "./plain.ts";
import type { Format, Row, RowBatches, RowFault, Source } from "./row.ts";

/** How to read a source; what is absent is guessed. */
export interface ReadOptions {
  readonly format?: Format | undefined;
  /** The name of the column of numbers. */
  readonly toColumn?: string | undefined;
  /** Accepts a source without recipients. */
  readonly mayBeEmpty?: boolean | undefined;
}

/** Yields rows and faults in order, in bounded memory. Throws if the source is unreadable as a whole, or empty. */
export async function* readRecipients(source: Source, options: ReadOptions = {}): AsyncGenerator<Row | RowFault> {
  const blocks = readBlocks(source);
  try {
    let isEmpty = true;
    for await (const rows of readBatches(source.name, blocks, options)) {
      for (const row of rows) {
        isEmpty = false;
        yield row;
      }
    }
    if (isEmpty && !options.mayBeEmpty) throw usageError("NO_RECIPIENT", `${source.name} has no recipients`);
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

/** The first block with a line that is not blank, and that line. */
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
    `--to-column needs columns, but ${name} is read as one number per line`,
    "add --format csv if it has columns",
  );
}
