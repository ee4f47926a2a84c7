import { usageError } from "../errors.ts";
import { startingWith } from "./source.ts";
import { type ColumnOptions, type Columns, headerIndex, isNumberHeader, readColumns } from "./columns.ts";
import type { ListFacts } from "./source.ts";
import { faultFrom, quoted, type Row, type RowBatches, type RowFault, rowOf } from "./row.ts";

export interface TableRecord {
  /** The line on which it begins, or the number of the row; from 1. */
  readonly line: number;
  /** Without the white space around them. */
  readonly cells: readonly string[];
  /** Why cells cannot be read as they are, by index. */
  readonly faults?: ReadonlyMap<number, string>;
  /** Whether the spreadsheet hides the row, as a filter does. */
  readonly isHidden?: true;
}

export interface Table {
  readonly name: string;
  /** Absent for text, where places are lines and not cells. */
  readonly sheet?: string;
  /** Absent for sheets. */
  readonly delimiter?: string;
  readonly records: AsyncIterable<readonly TableRecord[]>;
}

export interface OpenTable extends Table {
  readonly columns: Columns;
  /** What is above and beside the rows, in words. */
  readonly passed: readonly string[];
  readonly records: AsyncGenerator<readonly TableRecord[]>;
}

/** So many records are looked at where no header says which column has the numbers. A pipe cannot be read twice. */
const sampleSize = 1_000;

type Opening =
  | { readonly kind: "open"; readonly table: OpenTable }
  | { readonly kind: "blank" }
  | { readonly kind: "header" }
  | { readonly kind: "without-numbers"; readonly error: Error };

/** Reads the head of a table. Throws `INVALID_RECIPIENTS` if two columns have numbers, or one name. */
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
  const names = options.keepsCells ? namedColumns(record.cells, rows, table) : record.cells;
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
  const nameless = columns.keys.flatMap((key, index) => (key === "" ? [index + 1] : []));
  const passed: string[] = [];
  if (titles.length > 0)
    passed.push(`${titles.length === 1 ? "a line" : "lines"} above the header: ${titles.join(", ")}`);
  if (nameless.length > 0) {
    passed.push(`${nameless.length === 1 ? "column" : "columns"} ${nameless.join(", ")}, empty and without a name`);
  }
  return { kind: "open", table: { ...table, columns, passed, records: startingWith([rows], batches) } };
}

/** Returns the names of a header, with a name for each column that has values in the first rows and none in the header. */
function namedColumns(names: readonly string[], rows: readonly TableRecord[], { sheet }: Table): readonly string[] {
  // In CSV, a row that is longer than the header has a delimiter in a value.
  const width = sheet === undefined ? names.length : rows.reduce((most, { cells }) => Math.max(most, cells.length), 0);
  return Array.from({ length: Math.max(names.length, width) }, (_, index) => {
    const name = names[index] ?? "";
    return name === "" && rows.some(({ cells }) => (cells[index] ?? "") !== "") ? `column ${index + 1}` : name;
  });
}

/** What programs write into a cell that has no value. */
const noValue = /^(?:NULL|null|NaN|nan|None|#?N\/A|n\/a|<none>)$/;

/** Returns the rows of a table. Throws for a value in a column without a name, unless rows keep their cells. */
export async function* rowsOf(
  { name, sheet, columns, records }: OpenTable,
  { keepsCells = false, keepsHidden = false }: ColumnOptions & { readonly keepsHidden?: boolean | undefined },
  facts: ListFacts,
): RowBatches {
  const { keys, to } = columns;
  const width = keys.findLastIndex((key) => key !== "") + 1;
  const isText = sheet === undefined;
  const areNamed = !keys.includes("");
  for await (const batch of records) {
    const rows: (Row | RowFault)[] = [];
    for (const { line, cells: written, faults, isHidden = false } of batch) {
      if (isHidden) facts.hiddenRows++;
      if (isHidden && !keepsHidden) continue;
      const empty = written.filter((cell) => noValue.test(cell)).length;
      facts.noValues += empty;
      const cells = empty === 0 ? written : written.map((cell) => (noValue.test(cell) ? "" : cell));
      const isAsHeader = areNamed && cells.length === keys.length;
      const surplus = isAsHeader ? -1 : cells.findIndex((cell, index) => cell !== "" && (keys[index] ?? "") === "");
      const isNameless = surplus >= 0 && (!isText || surplus < keys.length);
      const nameless = isNameless
        ? namelessColumn(name, { sheet, line, index: surplus, cell: cells[surplus] ?? "" })
        : undefined;
      if (nameless !== undefined && !keepsCells) throw nameless;
      let row: Row | RowFault;
      if (nameless !== undefined) row = faultFrom(nameless, line);
      else if (isText && (surplus >= 0 || cells.length < width)) row = wrongWidth(line, cells.length, keys.length);
      else row = rowFrom(line, cells, { columns, cell: isText ? undefined : cellName(line, to), faults });
      // A value that is not exact must not pass a second cleaning.
      const kept =
        faults === undefined ? written : written.map((cell, at) => (at !== to && faults.has(at) ? "" : cell));
      rows.push(keepsCells ? { ...row, cells: kept } : row);
    }
    yield rows;
  }
}

function rowFrom(
  line: number,
  cells: readonly string[],
  {
    columns: { keys, to },
    cell,
    faults,
  }: { readonly columns: Columns; readonly cell: string | undefined; readonly faults: TableRecord["faults"] },
): Row | RowFault {
  const fields: Record<string, string> = Object.create(null);
  for (const [index, key] of keys.entries()) if (key !== "") fields[key] = cells[index] ?? "";
  for (const [index, reason] of faults ?? []) {
    if ((keys[index] ?? "") !== "")
      return { kind: "fault", line, where: `cell ${cellName(line, index)}`, reason, cause: "mangled" };
  }
  const row = rowOf(line, { to: cells[to] ?? "", fields }, "csv");
  return cell === undefined ? row : { ...row, where: `row ${line}`, ...(row.kind === "row" && { cell }) };
}

function wrongWidth(line: number, count: number, expected: number): RowFault {
  return {
    kind: "fault",
    line,
    reason: `it has ${count} ${count === 1 ? "value" : "values"}; the header has ${expected}`,
    hint: "put a value that contains the delimiter in double quotes",
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
  let letters = "";
  for (let left = index + 1; left > 0; left = Math.floor((left - 1) / 26)) {
    letters = String.fromCharCode(65 + ((left - 1) % 26)) + letters;
  }
  return `${letters}${line}`;
}

async function* filled(batches: Table["records"]): AsyncGenerator<readonly TableRecord[]> {
  for await (const batch of batches) {
    yield batch.filter(({ cells, faults }) => faults !== undefined || cells.some((cell) => cell !== ""));
  }
}
