import { finished } from "node:stream/promises";
import type { Parser } from "csv-parse";
import { unguarded } from "./spreadsheet.ts";
import { usageError } from "../../errors.ts";
import { cleanedFile } from "../columns.ts";
import { isFooter } from "./drawn.ts";
import type { Block } from "./lines.ts";
import { maxRowBytes } from "../row.ts";
import type { ListFacts } from "../source.ts";
import type { TableRecord } from "../table.ts";

interface CsvShape {
  readonly name: string;
  readonly delimiter: string;
  /** The line on which the header or what is above it begins. */
  readonly from: number;
}

/** Reads CSV (RFC 4180, with other delimiters too). Throws for broken quotes, which make the ends of records ambiguous. */
export async function* readCsv(
  blocks: AsyncIterable<Block>,
  shape: CsvShape,
  facts: ListFacts,
): AsyncGenerator<readonly TableRecord[]> {
  let isExport: boolean | undefined;
  let isCleaned = false;
  for await (const records of readRecords(blocks, shape)) {
    const batch: TableRecord[] = [];
    for (const { line, cells } of records) {
      // Of psql without its drawing.
      if (shape.delimiter === "|" && cells.length === 1 && isFooter(cells[0] ?? "")) continue;
      if (isExport === undefined && cells.some((cell) => cell.trim() !== "")) {
        isExport = ["outcome", "errorCode"].every((name) => cells.includes(name));
        isCleaned = cleanedFile(cells) !== undefined;
      }
      // What sms wrote itself is read back exactly; in what it cleaned, people correct cells.
      const read = (cell: string) =>
        isExport ? unguarded(cell) : contentOf(isCleaned ? unguarded(cell) : cell, facts);
      batch.push({ line, cells: cells.map(read) });
    }
    yield batch;
  }
}

/** Returns a cell without the white space around it, and `="0712…"`, with which a spreadsheet keeps a zero, as its text. */
function contentOf(cell: string, facts: ListFacts): string {
  const text = cell.trim();
  const inner = text.startsWith('="') ? /^="([^"]*)"$/.exec(text)?.[1] : undefined;
  if (inner === undefined) return text;
  facts.formulaTexts++;
  return inner.trim();
}

/** Yields the records of each block. Loads the parser on demand, because only CSV needs it. */
async function* readRecords(blocks: AsyncIterable<Block>, shape: CsvShape): AsyncGenerator<readonly TableRecord[]> {
  const { name, delimiter, from } = shape;
  const { parse } = await import("csv-parse");
  const parser = parse({
    delimiter,
    record_delimiter: ["\r\n", "\n"],
    from_line: from,
    relax_column_count: true,
    max_record_size: maxRowBytes,
  });
  const ends = `\\n${delimiter.replace(/[\\\]^-]/, "\\$&")}`;
  const formulaText = new RegExp(`(^|[${ends}]) *="([^"\\r\\n]+)" *(?=[\\r${ends}]|$)`, "g");
  let line = from;
  const records: TableRecord[] = [];
  // We count lines because the parser counts a CR LF inside quotes as two.
  parser.on("data", (cells: readonly string[]) => {
    records.push({ line, cells });
    line += cells.reduce((lines, cell) => lines + lineFeedsIn(cell), 1);
  });
  // `write` and `finished` report errors too.
  parser.on("error", () => {});
  try {
    for await (const { bytes } of blocks) {
      // The parser refuses a quote inside a value that begins with =.
      const isQuoted = bytes.includes('="') ? bytes.toString().replace(formulaText, '$1"=""$2"""') : bytes;
      await write(parser, isQuoted);
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

function write(parser: Parser, bytes: Buffer | string): Promise<void> {
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
  if (!/^CSV_|QUOTE/.test(code)) return error;
  return usageError(
    "INVALID_RECIPIENTS",
    `the row that begins on line ${line} of ${name} has broken double quotes, or is longer than ${maxRowBytes / 1024} KiB`,
    'put a value with quotes, delimiters or line breaks in double quotes, and double each " inside it',
  );
}
