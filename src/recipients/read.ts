import { invalidOption, usageError } from "../errors.ts";
import type { ColumnOptions } from "./columns.ts";
import { hasNumberIn } from "./number-cells.ts";
import { cleanLine } from "./faults.ts";
import { readCsv } from "./formats/csv.ts";
import { toUtf8, utf16Of } from "./formats/encoding.ts";
import { delimiterOf, guessFormat, refuseOtherFile, refuseOtherText } from "./formats/format.ts";
import { type Block, linesOf, readBlocks, readPlain } from "./formats/lines.ts";
import { readNdjson } from "./formats/ndjson.ts";
import { cardColumns, readCards } from "./formats/vcard.ts";
import { type Format, lineText, mostOfReason, type Row, type RowBatches, type RowFault, typedRow } from "./row.ts";
import { ListFacts, type Recipients, remembering, type Source, startingWith } from "./source.ts";
import { readTables } from "./table.ts";

export interface ReadOptions extends ColumnOptions {
  readonly format?: Format;
  readonly sheet?: string;
  /** The WHATWG gives the names of encodings. */
  readonly encoding?: string;
  /** The default is `sms clean`, which rejects some numbers that an opt-out keeps. */
  readonly command?: string;
  /** The default is rows. */
  readonly least?: "rows" | "header" | "nothing";
  readonly facts?: ListFacts;
}

interface RecipientOptions extends Pick<ReadOptions, "format" | "toColumn" | "country" | "mend"> {
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
    const sign = source === undefined ? 1 : -1;
    yield* typed.map((to, index) => typedRow(to, sign * (index + 1)));
    if (source !== undefined)
      yield* readRecipients(source, { ...options, facts, least: mayBeNone ? "header" : "rows" });
  }
  const facts = new ListFacts();
  const firstReading = skipInvalid ? rows(new ListFacts()) : undefined;
  const clean = source && { ...options, file: source.name };
  const maySkip = options.mend === undefined;
  return { source, facts, clean, maySkip, mayBeNone, rows: rows(facts), firstReading };
}

/** Memory is bounded. Throws if the source is unreadable as a whole, or has less than it must. */
export async function* readRecipients(source: Source, options: ReadOptions = {}): AsyncGenerator<Row | RowFault> {
  const chunks = source.chunks[Symbol.asyncIterator]();
  const closable = { ...source, chunks: { [Symbol.asyncIterator]: () => chunks } };
  try {
    for await (const rows of readBatches(closable, options)) {
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
  let isEmpty = true;
  for await (const rows of list ?? []) {
    const useful = withoutComments(rows, facts);
    if (useful.length > 0) isEmpty = false;
    yield useful;
  }
  if (!isEmpty || least === "nothing") return;
  if (list === undefined) throw noRecipient(name, "is empty", "give one number a line, or CSV with a header");
  if (facts.format !== "tables" || facts.commentedOut.count > 0) throw onlyComments(name);
  const hasHeader = facts.columns !== undefined || facts.isHeaderAlone;
  if (least === "header" && hasHeader) return;
  if (!hasHeader) throw noRecipient(name, "is empty", "give a row for each recipient below a header");
  const hint = "add a line for each recipient below the header; it ends with LF, CRLF or CR";
  throw noRecipient(name, "has a header and no rows", hint);
}

/** Undefined if the source is empty. */
async function openList(source: Source, options: ReadOptions, facts: ListFacts): Promise<RowBatches | undefined> {
  const { name } = source;
  const { format, toColumn, country } = options;
  const { start, chunks } = await peek(source.chunks);
  const isWorkbook = ["PK\u0003\u0004", "\u00D0\u00CF\u0011\u00E0"].includes(start.toString("latin1", 0, 4));
  const words = { file: name, country, toColumn, everyNumber: options.everyNumber, output: "NEW.csv" };
  const { command = cleanLine(words) } = options;
  if (isWorkbook) {
    if (options.encoding !== undefined) throw useless("--encoding", `${name} is a workbook`);
    const { readWorkbook } = await import("./formats/xlsx.ts");
    facts.format = "tables";
    return readTables(readWorkbook({ name, chunks }, options, facts), name, { ...options, command }, facts);
  }
  refuseOtherFile(name, start.toString("latin1", 0, 8));
  if (options.sheet !== undefined) throw useless("--sheet", `${name} is no workbook`);
  const utf16 = utf16Of(start);
  facts.isUtf16 = utf16 !== undefined && options.encoding === undefined;
  const encoding = options.encoding ?? utf16;
  const text = { name, command, chunks: encoding === undefined ? chunks : toUtf8({ name, chunks }, encoding) };
  const { lines, blocks } = await firstLines(readBlocks(text));
  const [first] = lines;
  if (first === undefined) return undefined;
  const texts = lines.map((line) => line.text);
  if (format !== "plain") refuseOtherText(name, texts);
  const separator = /^"?sep=(.)"?\s*$/i.exec(first.text)?.[1];
  const kind = format ?? (separator === undefined ? guessFormat(name, texts, toColumn !== undefined) : "csv");
  if (kind === "cards") {
    if (toColumn !== undefined) throw useless("--to-column", `${name} has contacts of a phone`);
    facts.format = "tables";
    facts.columns = cardColumns;
    return readCards(blocks, country);
  }
  if (kind === "plain" && toColumn !== undefined) {
    const hint = "add --format csv if it has columns";
    throw invalidOption(`--to-column needs columns, but ${name} is read as one number per line`, hint);
  }
  facts.format = kind === "csv" ? "tables" : kind;
  // Words beside a number may be prose, so only `clean` and an import of opt-outs read them.
  if (kind === "plain" && options.keepsCells) return (await import("./pastes.ts")).readPastes(blocks, country);
  if (kind === "plain") return readPlain(blocks);
  if (kind === "ndjson") return readNdjson(blocks, name, options, facts);
  if (separator !== undefined) facts.passed.push(`the line ${first.text.trim()}`);
  const delimiter = separator ?? delimiterOf(texts);
  const from = separator === undefined ? 1 : first.line + 1;
  const records = readCsv(blocks, delimiter, from, facts);
  return readTables([{ delimiter, records }], name, { ...options, command }, facts);
}

/** Each list leaves out a number behind a #, and notes the row. */
export function withoutComments<Each extends Row | RowFault>(rows: Each[], { commentedOut }: ListFacts): Each[] {
  const isKept = (row: Each) => row.kind === "fault" || !row.to.startsWith("#") || !hasNumberIn(row.to);
  if (rows.every(isKept)) return rows;
  for (const row of rows) {
    if (isKept(row)) continue;
    commentedOut.count++;
    if (commentedOut.first.length < mostOfReason) commentedOut.first.push(row.where ?? lineText(row.line));
  }
  return rows.filter(isKept);
}

export function onlyComments(name: string): Error {
  return noRecipient(name, "has only comments", "give one number a line");
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
  const blocks: Block[] = [];
  const lines: { readonly line: number; readonly text: string }[] = [];
  while (lines.length < 20 && !/^\s*\+[\d\s().-]+$/.test(lines[0]?.text ?? "")) {
    const next = await iterator.next();
    if (next.done === true) break;
    blocks.push(next.value);
    lines.push(...linesOf(next.value).filter(({ text }) => text.trim() !== ""));
  }
  return { lines: lines.slice(0, 20), blocks: startingWith(blocks, iterator) };
}
