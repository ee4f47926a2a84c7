import { finished } from "node:stream/promises";
import type { Parser } from "csv-parse";
import { unguarded } from "../message/spreadsheet.ts";
import { usageError } from "../errors.ts";
import { type Columns, readColumns } from "./columns.ts";
import type { Block } from "./lines.ts";
import { maxRowBytes, type Row, type RowBatches, type RowFault, rowOf } from "./row.ts";

export interface CsvShape {
  readonly name: string;
  readonly delimiter: string;
  readonly toColumn?: string | undefined;
}

interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

const unreadable: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "opens a double quote that is never closed",
  CSV_INVALID_CLOSING_QUOTE: "has text after a closing double quote",
  INVALID_OPENING_QUOTE: "has a double quote inside a value that does not begin with one",
  CSV_MAX_RECORD_SIZE: `is longer than ${maxRowBytes / 1024} KiB: is a double quote not closed?`,
};

/** Reads CSV (RFC 4180, with other delimiters too). Throws for broken quotes, which make the ends of records ambiguous. */
export async function* readCsv(blocks: AsyncIterable<Block>, shape: CsvShape): RowBatches {
  let columns: Columns | undefined;
  let isExport = false;
  for await (const records of readRecords(blocks, shape)) {
    const rows: (Row | RowFault)[] = [];
    for (const { line, cells: written } of records) {
      if (written.every((cell) => cell.trim() === "")) continue;
      if (columns === undefined) isExport = ["outcome", "errorCode"].every((name) => written.includes(name));
      const cells = isExport ? written.map(unguarded) : written;
      if (columns === undefined) {
        columns = readColumns({ file: shape.name, names: cells, delimiter: shape.delimiter }, shape.toColumn);
      } else rows.push(readRecord({ line, cells }, columns));
    }
    yield rows;
  }
}

function readRecord({ line, cells }: CsvRecord, { keys, to }: Columns): Row | RowFault {
  if (cells.length !== keys.length) {
    return {
      kind: "fault",
      line,
      reason: `it has ${cells.length} ${cells.length === 1 ? "value" : "values"}; the header has ${keys.length}`,
      hint: "put a value that contains the delimiter in double quotes",
    };
  }
  const fields: Record<string, string> = Object.create(null);
  for (const [index, key] of keys.entries()) fields[key] = cells[index] ?? "";
  return rowOf(line, cells[to] ?? "", fields, "csv");
}

/** Yields the records of each block. Loads the parser on demand, because only CSV needs it. */
async function* readRecords(
  blocks: AsyncIterable<Block>,
  { name, delimiter }: CsvShape,
): AsyncGenerator<readonly CsvRecord[]> {
  const { parse } = await import("csv-parse");
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    max_record_size: maxRowBytes,
  });
  let line = 0;
  const records: CsvRecord[] = [];
  // We count lines because the parser counts a CR LF inside quotes as two.
  parser.on("data", (cells: readonly string[]) => {
    records.push({ line, cells });
    line += cells.reduce((lines, cell) => lines + lineFeedsIn(cell), 1);
  });
  // `write` and `finished` report errors too.
  parser.on("error", () => {});
  try {
    for await (const block of blocks) {
      if (line === 0) line = block.line;
      await write(parser, block.bytes);
      yield records;
      records.length = 0;
    }
    parser.end();
    await finished(parser);
    yield records;
  } catch (error) {
    throw explain(error, line, name);
  } finally {
    parser.destroy();
  }
}

function write(parser: Parser, bytes: Buffer): Promise<void> {
  return new Promise((resolve, reject) => {
    parser.write(bytes, (error) => (error ? reject(error) : resolve()));
  });
}

function lineFeedsIn(text: string): number {
  let count = 0;
  for (let index = text.indexOf("\n"); index >= 0; index = text.indexOf("\n", index + 1)) count++;
  return count;
}

function explain(error: unknown, line: number, name: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const fault = Object.hasOwn(unreadable, code) ? unreadable[code] : undefined;
  if (fault === undefined) return error;
  return usageError(
    "INVALID_RECIPIENTS",
    `the row that begins on line ${line} of ${name} ${fault}`,
    'put a value with quotes, delimiters or line breaks in double quotes, and double each " inside it',
  );
}
