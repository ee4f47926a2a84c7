import { finished } from "node:stream/promises";
import type { Parser } from "csv-parse";
import { usageError } from "../errors.ts";
import { type Columns, readColumns } from "./columns.ts";
import type { Block } from "./lines.ts";
import { longestRow, type Row, type RowBatches, type RowFault } from "./row.ts";

/** How a file of separated values is written. */
export interface CsvShape {
  /** What people call the file. */
  readonly name: string;
  readonly delimiter: string;
  /** The column of the number, where it is not to be guessed. */
  readonly toColumn?: string | undefined;
}

/** A record and the line on which it begins. */
interface CsvRecord {
  readonly line: number;
  readonly cells: readonly string[];
}

/** What is wrong with a record that the parser gives up on, by its codes. */
const unreadable: Readonly<Record<string, string>> = {
  CSV_QUOTE_NOT_CLOSED: "opens a double quote that is never closed",
  CSV_INVALID_CLOSING_QUOTE: "has text after a closing double quote",
  INVALID_OPENING_QUOTE: "has a double quote inside a value that does not begin with one",
  CSV_MAX_RECORD_SIZE: `is longer than ${longestRow} bytes: a double quote in it may not be closed`,
};

/**
 * Reads separated values (RFC 4180, with any of the delimiters): the first record is the header, every column a field,
 * `message` the row's own text where it is not blank. Records without any text are passed over; a record with more or
 * fewer cells than the header is a fault. Throws a usage error for a header that cannot serve, and for quotes that leave
 * open where records end.
 */
export async function* readCsv(blocks: AsyncIterable<Block>, shape: CsvShape): RowBatches {
  let columns: Columns | undefined;
  for await (const records of readRecords(blocks, shape)) {
    const rows: (Row | RowFault)[] = [];
    for (const record of records) {
      if (record.cells.every((cell) => cell.trim() === "")) continue;
      if (columns === undefined) columns = readColumns(record.cells, shape.name, shape.toColumn);
      else rows.push(rowOf(record, columns));
    }
    yield rows;
  }
}

function rowOf({ line, cells }: CsvRecord, { keys, to, message }: Columns): Row | RowFault {
  if (cells.length !== keys.length) {
    return {
      kind: "fault",
      line,
      reason: `it has ${cells.length} ${cells.length === 1 ? "value" : "values"}, and the header has ${keys.length}`,
      hint: "put a value that holds the delimiter in double quotes",
    };
  }
  const fields: Record<string, string> = Object.create(null);
  for (const [index, key] of keys.entries()) fields[key] = cells[index] ?? "";
  const row = { kind: "row", line, to: cells[to] ?? "", fields } as const;
  const text = cells[message] ?? "";
  return text.trim() === "" ? row : { ...row, message: text };
}

/** Records, in batches of about a block. The parser is loaded only here, since only CSV needs it. */
async function* readRecords(
  blocks: AsyncIterable<Block>,
  { name, delimiter }: CsvShape,
): AsyncGenerator<readonly CsvRecord[]> {
  const { parse } = await import("csv-parse");
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n"],
    relax_column_count: true,
    max_record_size: longestRow,
  });
  let line = 0;
  let records: CsvRecord[] = [];
  // The parser itself would count a CR LF inside quotes as two lines.
  parser.on("data", (cells: readonly string[]) => {
    records.push({ line, cells });
    line += cells.reduce((lines, cell) => lines + lineFeedsIn(cell), 1);
  });
  // What went wrong is told by `write` and `finished` too.
  parser.on("error", () => {});
  try {
    for await (const block of blocks) {
      if (line === 0) line = block.line;
      await write(parser, block.bytes);
      yield records;
      records = [];
    }
    parser.end();
    await finished(parser);
    yield records;
  } catch (error) {
    throw explained(error, line, name);
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

/** Our sentence for what the parser cannot get over; anything else as it came. */
function explained(error: unknown, line: number, name: string): unknown {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  const fault = Object.hasOwn(unreadable, code) ? unreadable[code] : undefined;
  if (fault === undefined) return error;
  return usageError(
    "INVALID_RECIPIENTS",
    `the row that begins on line ${line} of ${name} ${fault}`,
    'write a value that holds quotes, delimiters or line ends in double quotes, and " in it as ""',
  );
}
