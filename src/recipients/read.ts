import { invalidOption, usageError } from "../errors.ts";
import type { ColumnOptions } from "./columns.ts";
import { cleanLine } from "./faults.ts";
import { readCsv } from "./formats/csv.ts";
import { toUtf8, utf16Of } from "./formats/encoding.ts";
import { delimiterOf, guessFormat, refuseOtherText } from "./formats/format.ts";
import { type Block, linesOf, readBlocks, readPlain } from "./formats/lines.ts";
import { readNdjson } from "./formats/ndjson.ts";
import { type Format, mostNamed, quoted, type Row, type RowBatches, type RowFault } from "./row.ts";
import { ListFacts, type Recipients, remembering, type Source, startingWith } from "./source.ts";
import { openTable, type OpenTable, rowsOf, type Table } from "./table.ts";

export interface ReadOptions extends ColumnOptions {
  readonly format?: Format;
  readonly sheet?: string;
  /** The WHATWG gives the names of encodings. */
  readonly encoding?: string;
  /** The default is rows. */
  readonly least?: "rows" | "header" | "nothing";
  readonly keepsHidden?: boolean;
  readonly facts?: ListFacts;
}

type List =
  | { readonly kind: "plain" | "ndjson"; readonly blocks: AsyncIterable<Block> }
  | { readonly kind: "tables"; readonly tables: AsyncIterable<Table> };

interface RecipientOptions extends Pick<ReadOptions, "format" | "toColumn" | "country"> {
  readonly mayBeNone?: boolean;
  /** --skip-invalid leaves out all rows of a number with different messages, so the rows before are read as well. */
  readonly skipInvalid?: boolean;
}

export function openRecipients(
  typed: readonly string[],
  list: Source | undefined,
  { mayBeNone = false, skipInvalid = false, ...options }: RecipientOptions,
): Recipients {
  const source = skipInvalid && list !== undefined ? remembering(list) : list;
  async function* rows(facts: ListFacts): AsyncGenerator<Row | RowFault> {
    for (const [index, to] of typed.entries()) {
      const line = source === undefined ? index + 1 : -(index + 1);
      yield { kind: "row", line, to, isTyped: true, fields: {} };
    }
    if (source !== undefined)
      yield* readRecipients(source, { ...options, facts, least: mayBeNone ? "header" : "rows" });
  }
  const facts = new ListFacts();
  const firstReading = skipInvalid ? rows(new ListFacts()) : undefined;
  const clean = source && cleanLine(source.name, options.country, options.toColumn);
  return { source, facts, clean, mayBeNone, rows: rows(facts), firstReading };
}

/** Memory is bounded. Throws if the source is unreadable as a whole, or has less than it must. */
export async function* readRecipients(source: Source, options: ReadOptions = {}): AsyncGenerator<Row | RowFault> {
  const chunks = source.chunks[Symbol.asyncIterator]();
  const opened = { ...source, chunks: { [Symbol.asyncIterator]: () => chunks } };
  try {
    for await (const rows of readBatches(opened, options)) {
      yield* rows;
      // Generators that wait keep what they yielded, and rows that garbage collections find alive are taken for long-lived.
      rows.length = 0;
    }
  } finally {
    await chunks.return?.();
  }
}

async function* readBatches(source: Source, options: ReadOptions): RowBatches {
  const { name } = source;
  const { least = "rows", facts = new ListFacts() } = options;
  const list = await openList(source, options, facts);
  if (list === undefined) {
    if (least === "nothing") return;
    throw noRecipient(name, "is empty", "give one number a line, or CSV with a header");
  }
  let isEmpty = true;
  for await (const rows of rowsIn(list, { name, options, facts })) {
    if (rows.length > 0) isEmpty = false;
    yield rows;
  }
  const hasHeader = facts.column !== undefined || facts.isHeaderAlone;
  if (!isEmpty || least === "nothing" || (least === "header" && hasHeader)) return;
  if (list.kind !== "tables") throw noRecipient(name, "has only comments", "give one number a line");
  if (!hasHeader) throw noRecipient(name, "is empty", "give a row for each recipient below a header");
  throw noRecipient(
    name,
    "has a header and no rows",
    "add a line for each recipient below the header; it ends with LF, CRLF or CR",
  );
}

async function* rowsIn(
  list: List,
  { name, options, facts }: { readonly name: string; readonly options: ReadOptions; readonly facts: ListFacts },
): RowBatches {
  facts.format = list.kind;
  switch (list.kind) {
    case "plain":
      yield* readPlain(list.blocks);
      return;
    case "ndjson":
      yield* readNdjson(list.blocks, options.toColumn, facts);
      return;
    case "tables":
      for await (const table of tablesWithNumbers(list.tables, { name, options, facts })) {
        yield* rowsOf(table, options, facts);
      }
  }
}

async function openList(source: Source, options: ReadOptions, facts: ListFacts): Promise<List | undefined> {
  const { name } = source;
  const { format, toColumn } = options;
  const { start, chunks } = await peek(source.chunks);
  if (["PK\u0003\u0004", "\u00D0\u00CF\u0011\u00E0"].includes(start.toString("latin1", 0, 4))) {
    if (options.encoding !== undefined) throw useless("--encoding", `${name} is a workbook`);
    const { readWorkbook } = await import("./formats/xlsx.ts");
    return { kind: "tables", tables: readWorkbook({ name, chunks }, options, facts) };
  }
  if (options.sheet !== undefined) throw useless("--sheet", `${name} is no workbook`);
  const utf16 = utf16Of(start);
  if (utf16 !== undefined && options.encoding === undefined) facts.passed.push("the encoding UTF-16");
  const encoding = options.encoding ?? utf16;
  const clean = cleanLine(name, options.country, toColumn);
  const decoded = { name, clean, chunks: encoding === undefined ? chunks : toUtf8({ name, chunks }, encoding) };
  const { lines, blocks } = await firstLines(readBlocks(decoded));
  const [first] = lines;
  if (first === undefined) return undefined;
  const texts = lines.map(({ text }) => text);
  if (format !== "plain") refuseOtherText(name, texts);
  const separator = /^"?sep=(.)"?\s*$/i.exec(first.text)?.[1];
  const found = format ?? (separator === undefined ? guessFormat(name, texts, toColumn !== undefined) : "csv");
  if (found === "plain" && toColumn !== undefined) {
    throw invalidOption(
      `--to-column needs columns, but ${name} is read as one number per line`,
      "add --format csv if it has columns",
    );
  }
  if (found !== "csv") return { kind: found, blocks };
  if (separator !== undefined) facts.passed.push(`the line ${first.text.trim()}`);
  const delimiter = separator ?? delimiterOf(texts);
  const from = separator === undefined ? 1 : first.line + 1;
  return {
    kind: "tables",
    tables: only({ name, delimiter, records: readCsv(blocks, { delimiter, from }, facts) }),
  };
}

/** Throws `INVALID_RECIPIENTS` if no table has a column of numbers, or if two have one. */
async function* tablesWithNumbers(
  tables: AsyncIterable<Table>,
  { name, options, facts }: { readonly name: string; readonly options: ReadOptions; readonly facts: ListFacts },
): AsyncGenerator<OpenTable> {
  let found: OpenTable | undefined;
  const others: Error[] = [];
  let isWorkbook = false;
  for await (const table of tables) {
    const opening = await openTable(table, options);
    isWorkbook = table.sheet !== undefined;
    if (opening.kind === "blank") continue;
    if (opening.kind === "header") {
      facts.isHeaderAlone = true;
      continue;
    }
    if (opening.kind === "without-numbers") {
      others.push(opening.error);
      continue;
    }
    if (found !== undefined) {
      throw usageError(
        "INVALID_RECIPIENTS",
        `${name} has numbers in two sheets: ${quoted(found.sheet ?? "")} and ${quoted(table.sheet ?? "")}`,
        "save the one you mean as a file of its own, or choose it with `sms clean FILE --sheet NAME`",
      );
    }
    found = opening.table;
    const { columns, sheet, passed } = found;
    if (sheet !== undefined) facts.sheet = sheet;
    const numbers = [columns.to, ...columns.others].map((index) => columns.names[index] ?? "");
    facts.column = { name: numbers.join(","), by: columns.by };
    facts.columns = columns;
    facts.passed.push(...passed);
    yield found;
  }
  if (found !== undefined) return;
  const hidden = isWorkbook ? facts.passed : [];
  const [alone] = others;
  if (others.length + hidden.length === 0) return;
  if (alone !== undefined && others.length + hidden.length === 1) throw alone;
  throw usageError("INVALID_RECIPIENTS", `no visible sheet of ${name} has a column of numbers`, {
    hint: "name that column in its header, such as phone, or choose a hidden sheet with `sms clean FILE --sheet NAME`",
    details: [...others.map(({ message }) => message), ...hidden.map((what) => `passed over: ${what}`)].slice(
      0,
      mostNamed,
    ),
  });
}

function noRecipient(name: string, what: string, hint: string): Error {
  return usageError("NO_RECIPIENT", `${name} ${what}`, hint);
}

function useless(option: string, why: string): Error {
  return invalidOption(`${option} cannot be used, because ${why}`, `leave ${option} out`);
}

async function peek(source: AsyncIterable<Uint8Array>) {
  const iterator = source[Symbol.asyncIterator]();
  let start = Buffer.alloc(0);
  while (start.length < 4) {
    const next = await iterator.next();
    if (next.done === true) break;
    start = Buffer.concat([start, next.value]);
  }
  const isMarked = start.toString("latin1", 0, 3) === "\xEF\xBB\xBF";
  return { start, chunks: startingWith([isMarked ? start.subarray(3) : start], iterator) };
}

/** The first lines tell the format. A number with `+` needs no others. */
async function firstLines(source: AsyncIterable<Block>) {
  const iterator = source[Symbol.asyncIterator]();
  const read: Block[] = [];
  const lines: { readonly line: number; readonly text: string }[] = [];
  while (lines.length < 20 && !/^\s*\+[\d\s().-]+$/.test(lines[0]?.text ?? "")) {
    const next = await iterator.next();
    if (next.done === true) break;
    read.push(next.value);
    lines.push(...linesOf(next.value).filter(({ text }) => text.trim() !== ""));
  }
  return { lines: lines.slice(0, 20), blocks: startingWith(read, iterator) };
}

async function* only<Item>(item: Item): AsyncGenerator<Item> {
  yield item;
}
