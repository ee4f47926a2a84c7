import { usageError } from "../errors.ts";
import { startingWith } from "./source.ts";
import { type ColumnOptions, type Columns, hasNumberIn, headerIndex, readColumns } from "./columns.ts";
import { isNumberHeader } from "./header-words.ts";
import type { ListFacts } from "./source.ts";
import { withoutZeroWidth } from "../message/text.ts";
import { faultFrom, memberKeys, quoted, type Row, type RowBatches, type RowFault, rowOf } from "./row.ts";

export interface TableRecord {
  /** The line on which the record begins, or the number of the row; from 1. */
  readonly line: number;
  readonly cells: readonly string[];
  readonly faults?: ReadonlyMap<number, string>;
  /** If the record cannot be read, its only cell is its line. */
  readonly fault?: string;
  /** A spreadsheet hides a row that a filter leaves out. */
  readonly isHidden?: true;
}

export interface Table {
  readonly name: string;
  /** Absent for text, where places are lines and not cells. */
  readonly sheet?: string;
  readonly hiddenColumns?: ReadonlySet<number>;
  /** Absent for sheets. */
  readonly delimiter?: string;
  readonly records: AsyncIterable<readonly TableRecord[]>;
}

export interface OpenTable extends Table {
  readonly columns: Columns;
  /** The words above the rows and next to them. */
  readonly passed: readonly string[];
  readonly records: AsyncGenerator<readonly TableRecord[]>;
}

/** A pipe cannot be read twice, so a sample decides if no header says which column has the numbers. */
const sampleSize = 1_000;

type Opening =
  | { readonly kind: "open"; readonly table: OpenTable }
  | { readonly kind: "blank" }
  | { readonly kind: "header" }
  | { readonly kind: "without-numbers"; readonly error: Error };

/** Throws `INVALID_RECIPIENTS` if two columns have numbers, or the same name. */
export async function openTable(table: Table, options: ColumnOptions): Promise<Opening> {
  const batches = filled(table.records);
  const first: TableRecord[] = [];
  const readUpTo = async (count: number) => {
    while (first.length < count) {
      const next = await batches.next();
      if (next.done === true) return;
      for (const record of next.value) first.push(record);
    }
  };
  await readUpTo(21);
  const header = headerIndex(
    first.map(({ cells }) => cells),
    options.toColumn,
  );
  const record = first[header];
  if (record === undefined) return { kind: "blank" };
  if (options.toColumn === undefined && !record.cells.some(isNumberHeader)) await readUpTo(sampleSize);
  const rows = first.splice(header + 1);
  const headerCells = record.cells.map(withoutZeroWidth);
  const names = options.keepsCells ? namedColumns(headerCells, rows, table) : headerCells;
  const list = table.sheet === undefined ? table.name : `sheet ${quoted(table.sheet)} of ${table.name}`;
  const columns = readColumns(
    { list, names, rows: rows.map(({ cells }) => cells), delimiter: table.delimiter },
    options,
  );
  if (columns.kind === "none") {
    await batches.return(undefined);
    if (rows.length === 0 && columns.mayBeHeader) return { kind: "header" };
    return { kind: "without-numbers", error: columns.error };
  }
  const titles = first.slice(0, header).map(({ cells }) => quoted(cells.find((cell) => cell !== "") ?? ""));
  const nameless = columns.keys.flatMap((key, index) =>
    key === "" && !table.hiddenColumns?.has(index) ? [index + 1] : [],
  );
  const passed: string[] = [];
  if (titles.length > 0)
    passed.push(`${titles.length === 1 ? "a line" : "lines"} above the header: ${titles.join(", ")}`);
  if (nameless.length > 0) {
    passed.push(`${nameless.length === 1 ? "column" : "columns"} ${rangesText(nameless)}, empty and without a name`);
  }
  return { kind: "open", table: { ...table, columns, passed, records: startingWith([rows], batches) } };
}

function namedColumns(names: readonly string[], rows: readonly TableRecord[], { sheet }: Table): readonly string[] {
  // If a row of CSV is longer than the header, a value has a delimiter in it.
  const width = sheet === undefined ? names.length : rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  return Array.from({ length: Math.max(names.length, width) }, (_, index) => {
    const name = names[index] ?? "";
    return name === "" && rows.some(({ cells }) => (cells[index] ?? "") !== "") ? `column ${index + 1}` : name;
  });
}

function rangesText(numbers: readonly number[]): string {
  const ranges: { first: number; last: number }[] = [];
  for (const number of numbers) {
    const range = ranges.at(-1);
    if (range?.last === number - 1) range.last = number;
    else ranges.push({ first: number, last: number });
  }
  return ranges.map(({ first, last }) => (first === last ? `${first}` : `${first} to ${last}`)).join(", ");
}

const noValue = /^(?:NULL|null|NaN|nan|None|#?N\/A|n\/a|<none>)$/;

/** A spreadsheet writes these if a formula failed, or if a column is too narrow. */
const errorValue = /^(?:#(?:REF|DIV\/0|VALUE|NUM|NULL|ERROR|SPILL|CALC|FIELD)!|#NAME\?|#{3,}|Err:\d{3})$/;

/** Throws for a value in a column without a name, unless rows keep their cells. */
export async function* rowsOf(
  table: OpenTable,
  { keepsCells = false, keepsHidden = false }: ColumnOptions & { readonly keepsHidden?: boolean },
  facts: ListFacts,
): RowBatches {
  const { keys } = table.columns;
  const width = keys.findLastIndex((key) => key !== "") + 1;
  for await (const batch of table.records) {
    const rows: (Row | RowFault)[] = [];
    for (const record of batch) {
      if (record.isHidden) facts.hiddenRows++;
      if (record.isHidden && !keepsHidden) continue;
      const { cells, faults } = valuesOf(record, facts);
      if (table.sheet === undefined && record.fault === undefined && cells.length < width) facts.shortRows++;
      const row = rowOfRecord({ ...record, cells, faults }, table, keepsCells);
      rows.push(keepsCells ? { ...row, cells: writtenCells(record, faults, table.columns.to) } : row);
    }
    yield rows;
  }
  for (const index of table.hiddenColumns ?? []) facts.hiddenColumns.push(columnLetters(index));
}

function valuesOf({ cells: written, faults: ofSheet }: TableRecord, facts: ListFacts) {
  let faults = ofSheet;
  let cells: string[] | undefined;
  for (const [index, cell] of written.entries()) {
    if (noValue.test(cell)) {
      facts.noValues++;
      cells ??= [...written];
      cells[index] = "";
    } else if (errorValue.test(cell)) {
      faults = new Map(faults).set(index, `it has the error ${cell}`);
    }
  }
  facts.unusableCells += faults?.size ?? 0;
  return { cells: cells ?? written, faults };
}

/** Values that are not exact must not pass a second cleaning. */
function writtenCells({ cells }: TableRecord, faults: TableRecord["faults"], to: number): readonly string[] {
  return faults === undefined ? cells : cells.map((cell, index) => (index !== to && faults.has(index) ? "" : cell));
}

function rowOfRecord(record: TableRecord, { name, sheet, columns }: OpenTable, keepsCells: boolean): Row | RowFault {
  const { line, cells, fault } = record;
  const { keys } = columns;
  if (fault !== undefined) return { kind: "fault", line, reason: fault, hint: quotesHint };
  const surplus = cells.findIndex((cell, index) => cell !== "" && (keys[index] ?? "") === "");
  if (surplus >= 0 && sheet === undefined && surplus >= keys.length) return tooWide(line, cells.length, keys.length);
  if (surplus >= 0) {
    const nameless = namelessColumn(name, { sheet, line, index: surplus, cell: cells[surplus] ?? "" });
    if (!keepsCells) throw nameless;
    return faultFrom(nameless, line);
  }
  return rowFrom(record, columns, sheet !== undefined);
}

function rowFrom({ line, cells, faults }: TableRecord, columns: Columns, isSheet: boolean): Row | RowFault {
  const { keys, others } = columns;
  const to = [columns.to, ...others].find((index) => hasNumberIn(cells[index] ?? "")) ?? columns.to;
  const fields: Record<string, string> = Object.create(null);
  for (const [index, key] of keys.entries()) if (key !== "") fields[key] = cells[index] ?? "";
  const unreadable = new Map<string, string>();
  for (const [index, reason] of faults ?? []) {
    const key = keys[index] ?? "";
    const where = isSheet ? `cell ${cellName(line, index)}` : undefined;
    if (index === to || memberKeys.includes(key))
      return { kind: "fault", line, where, reason: isSheet ? reason : `${quoted(key)}: ${reason}`, cause: "mangled" };
    unreadable.set(key, `${where ?? quoted(key)}: ${reason}`);
  }
  const row = rowOf(line, { to: cells[to] ?? "", fields }, "csv");
  if (row.kind === "fault") return isSheet ? { ...row, where: `row ${line}` } : row;
  const place = isSheet ? { where: `row ${line}`, cell: cellName(line, to) } : {};
  return unreadable.size === 0 ? { ...row, ...place } : { ...row, ...place, unreadable };
}

const quotesHint =
  'put a value that contains the delimiter, a line break or a quote in double quotes, and double each " inside it';

function tooWide(line: number, count: number, expected: number): RowFault {
  return {
    kind: "fault",
    line,
    reason: `it has ${count} values; the header has ${expected}`,
    hint: quotesHint,
  };
}

function namelessColumn(
  name: string,
  {
    sheet,
    line,
    index,
    cell,
  }: { readonly sheet: string | undefined; readonly line: number; readonly index: number; readonly cell: string },
): Error {
  const where = sheet === undefined ? `line ${line}` : `cell ${cellName(line, index)}`;
  return usageError(
    "INVALID_RECIPIENTS",
    `column ${index + 1} of ${name} has no name, and ${quoted(cell)} on ${where}`,
    "name it in the header, or remove it",
  );
}

function cellName(line: number, index: number): string {
  return `${columnLetters(index)}${line}`;
}

function columnLetters(index: number): string {
  let letters = "";
  for (let left = index + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return letters;
}

async function* filled(batches: Table["records"]): AsyncGenerator<readonly TableRecord[]> {
  for await (const batch of batches) {
    yield batch.filter(({ cells, faults }) => faults !== undefined || cells.some((cell) => cell !== ""));
  }
}
