import { usageError } from "../errors.ts";
import { twoSheets } from "./column-errors.ts";
import { type ColumnOptions, type Columns, headerIndex, mayBeHeader, readColumns } from "./columns.ts";
import { hasNumberIn } from "./number-cells.ts";
import { type ListFacts, startingWith } from "./source.ts";
import { cellName, columnLetters, rangesText } from "./cells.ts";
import { isFaxOrPager, isTotal } from "./number-words.ts";
import { typedName } from "../message/text.ts";
import { errorText, isNoValue, memberKeys, rowOf, setField } from "./listed-row.ts";
import { mostNamed, quoted, refusalText, type Row, type RowBatches, type RowFault, textKey } from "./row.ts";

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
  /** Absent for text, where places are lines and not cells. */
  readonly sheet?: string;
  readonly hiddenColumns?: ReadonlySet<number>;
  /** Absent for sheets. */
  readonly delimiter?: string;
  readonly records: AsyncIterable<readonly TableRecord[]>;
}

interface OpenTable extends Table {
  readonly name: string;
  readonly columns: Columns;
}

interface TableOptions extends ColumnOptions {
  /** This command can name a sheet. */
  readonly command: string;
}

/** Throws `INVALID_RECIPIENTS` if no table has a column of numbers, or if two have one. */
export async function* readTables(
  tables: AsyncIterable<Table> | Iterable<Table>,
  name: string,
  options: TableOptions,
  facts: ListFacts,
): RowBatches {
  let isWorkbook = false;
  const errors: Error[] = [];
  for await (const table of tables) {
    const { sheet } = table;
    isWorkbook = sheet !== undefined;
    const { titles, header, rows, batches } = await readHead(table, options);
    if (header === undefined) continue;
    const names = namesOf(header, rows, sheet !== undefined);
    const list = sheet === undefined ? name : `sheet ${quoted(sheet)} of ${name}`;
    const place = `${sheet === undefined ? "line" : "row"} ${header.line}`;
    const cells = rows.map((row) => row.cells);
    const { delimiter, hiddenColumns: hidden } = table;
    const columns = readColumns({ list, place, names, rows: cells, delimiter, hidden }, options);
    if (columns instanceof Error) {
      await batches.return(undefined);
      const isAlone = rows.length === 0 && options.toColumn === undefined && mayBeHeader(names);
      if (isAlone) facts.isHeaderAlone = true;
      else errors.push(columns);
      continue;
    }
    if (facts.columns !== undefined) throw twoSheets(name, [facts.sheet, sheet], options.command);
    facts.sheet = sheet;
    facts.columns = columns;
    facts.passed.push(...passedOver(titles, columns, table));
    yield* rowsOf({ ...table, name, columns, records: startingWith([rows], batches) }, options, facts);
  }
  if (facts.columns !== undefined) return;
  const hints = isWorkbook ? facts.passed.map((what) => `passed over: ${what}`) : [];
  const [first] = errors;
  if (first !== undefined && errors.length + hints.length === 1) throw first;
  if (errors.length + hints.length === 0) return;
  throw usageError("INVALID_RECIPIENTS", `no visible sheet of ${name} has a column of numbers`, {
    hint: `name that column in its header, such as phone, or choose a hidden sheet with \`${options.command} --sheet NAME\``,
    details: [...errors.map(({ message }) => message), ...hints].slice(0, mostNamed),
  });
}

/** A pipe cannot be read twice, so so many rows decide which is the header and which column has the numbers. */
const sampleSize = 1_000;

async function readHead({ records }: Table, { toColumn }: TableOptions) {
  const batches = filled(records);
  const sample: TableRecord[] = [];
  while (sample.length < sampleSize) {
    const next = await batches.next();
    if (next.done === true) break;
    for (const record of next.value) sample.push(record);
  }
  const rows = sample.map(({ cells }) => cells);
  const index = headerIndex(rows, toColumn);
  return { titles: sample.slice(0, index), header: sample[index], rows: sample.slice(index + 1), batches };
}

function passedOver(
  titles: readonly TableRecord[],
  { names, keys, besides }: Columns,
  { hiddenColumns }: Table,
): readonly string[] {
  const sentences: string[] = [];
  if (titles.length > 0) {
    const texts = titles.map(({ cells }) => quoted(cells.find((cell) => cell !== "") ?? ""));
    sentences.push(`${titles.length === 1 ? "a line" : "lines"} above the header: ${texts.join(", ")}`);
  }
  const nameless = keys.flatMap((key, index) => (key === "" && !hiddenColumns?.has(index) ? [index + 1] : []));
  if (nameless.length > 0) {
    sentences.push(`${nameless.length === 1 ? "column" : "columns"} ${rangesText(nameless)}, empty and without a name`);
  }
  for (const index of besides) sentences.push(`column ${quoted(names[index] ?? "")}, which has numbers too`);
  return sentences;
}

/** If a row of CSV is longer than the header, a value has a delimiter in it. */
function namesOf(header: TableRecord, rows: readonly TableRecord[], isSheet: boolean): readonly string[] {
  const names = header.cells.map(typedName);
  const width = isSheet ? rows.reduce((most, { cells }) => Math.max(most, cells.length), 0) : names.length;
  return Array.from({ length: Math.max(names.length, width) }, (_, index) => {
    const name = names[index] ?? "";
    return name === "" && rows.some(({ cells }) => (cells[index] ?? "") !== "") ? `column ${index + 1}` : name;
  });
}

async function* rowsOf(
  table: OpenTable,
  { keepsCells = false, everyNumber = false }: TableOptions,
  facts: ListFacts,
): RowBatches {
  const { keys } = table.columns;
  const width = keys.findLastIndex((key) => key !== "") + 1;
  for await (const batch of table.records) {
    const rows: (Row | RowFault)[] = [];
    for (const record of batch) {
      if (record.isHidden) facts.hiddenRows++;
      if (record.isHidden && !everyNumber) continue;
      const { cells, faults } = valuesOf(record, facts);
      if (table.sheet === undefined && record.fault === undefined && cells.length < width) facts.shortRows++;
      const row = rowOfRecord({ ...record, cells, faults }, table);
      rows.push(
        keepsCells || row.kind === "fault" ? { ...row, cells: writtenCells(record, faults, table.columns.to) } : row,
      );
    }
    yield rows;
  }
  for (const index of everyNumber ? [] : (table.hiddenColumns ?? [])) facts.hiddenColumns.push(columnLetters(index));
}

function valuesOf({ cells: texts, faults: ofSheet }: TableRecord, facts: ListFacts) {
  let faults = ofSheet;
  let cells: string[] | undefined;
  for (const [index, cell] of texts.entries()) {
    if (isNoValue(cell)) {
      facts.noValues++;
      cells ??= [...texts];
      cells[index] = "";
      continue;
    }
    const error = errorText(cell);
    if (error !== undefined) faults = new Map(faults).set(index, error);
  }
  facts.unusableCells += faults?.size ?? 0;
  return { cells: cells ?? texts, faults };
}

/** Values that are not exact must not pass a second cleaning. */
function writtenCells({ cells }: TableRecord, faults: TableRecord["faults"], to: number): readonly string[] {
  return faults === undefined ? cells : cells.map((cell, index) => (index !== to && faults.has(index) ? "" : cell));
}

function rowOfRecord(record: TableRecord, { name, sheet, columns }: OpenTable): Row | RowFault {
  const { line, cells, fault } = record;
  const { keys } = columns;
  if (fault !== undefined) return { kind: "fault", line, sentence: fault, hint: quotesHint };
  const surplus = cells.findIndex((cell, index) => cell !== "" && (keys[index] ?? "") === "");
  if (surplus >= 0 && sheet === undefined && surplus >= keys.length) {
    const sentence = `it has ${cells.length} values; the header has ${keys.length}`;
    return { kind: "fault", line, sentence, hint: quotesHint };
  }
  if (surplus >= 0) {
    const where = sheet === undefined ? `line ${line}` : `cell ${cellName(line, surplus)}`;
    const sentence = `column ${surplus + 1} of ${name} has no name, and ${quoted(cells[surplus] ?? "")} on ${where}`;
    return { kind: "fault", line, sentence, hint: "name it in the header, or remove it" };
  }
  return rowFrom(record, columns, sheet !== undefined);
}

function rowFrom({ line, cells, faults }: TableRecord, columns: Columns, isSheet: boolean): Row | RowFault {
  const { keys, names, unseen } = columns;
  for (const [index, hint] of unseen) {
    if (!hasNumberIn(cells[index] ?? "")) continue;
    const where = isSheet ? `cell ${cellName(line, index)}` : undefined;
    const sentence = `it has the number ${quoted(cells[index] ?? "")} in column ${quoted(names[index] ?? "")} too`;
    return { kind: "fault", line, where, sentence, hint, cause: "unclear" };
  }
  const to = placeOfNumber(cells, columns);
  const number = cells[to] ?? "";
  const kind = cells[columns.kinds.get(to) ?? -1] ?? "";
  if (kind !== "" && number !== "" && isFaxOrPager(kind))
    return { kind: "fault", line, sentence: refusalText(number, `its kind is ${quoted(kind)}`), cause: "other-text" };
  if (number.length < 6 && isTotal(cells.find((cell) => cell !== "") ?? ""))
    return { kind: "fault", line, sentence: "it is a total row", hint: "remove it", cause: "not-a-number" };
  const fields: Record<string, string> = {};
  for (const [index, key] of keys.entries()) if (key !== "") setField(fields, key, cells[index] ?? "");
  const unreadable = new Map<string, string>();
  for (const [index, reason] of faults ?? []) {
    const key = keys[index] ?? "";
    const where = isSheet ? `cell ${cellName(line, index)}` : undefined;
    if (index === to || (memberKeys.includes(key) && key !== textKey))
      return { kind: "fault", line, where, sentence: isSheet ? reason : `${quoted(key)}: ${reason}`, cause: "mangled" };
    unreadable.set(key, `${where ?? quoted(key)}: ${reason}`);
  }
  const row = rowOf(line, number, fields);
  const place = isSheet ? { where: `row ${line}`, cell: cellName(line, to) } : {};
  // A property behind a spread takes ten times as long as one before it.
  const whole = { names: columns.ownNames, ...place, ...row };
  return unreadable.size === 0 ? whole : { ...whole, unreadable };
}

/** The first column that has a number, and no fax's if another has one. */
function placeOfNumber(cells: readonly string[], { to, others, kinds }: Columns): number {
  if (others.length === 0) return to;
  const places = [to, ...others].filter((index) => hasNumberIn(cells[index] ?? ""));
  return places.find((index) => !isFaxOrPager(cells[kinds.get(index) ?? -1] ?? "")) ?? places[0] ?? to;
}

const quotesHint =
  'put a value that contains the delimiter, a line break or a quote in double quotes, and double each " inside it';

async function* filled(batches: Table["records"]): AsyncGenerator<readonly TableRecord[]> {
  for await (const batch of batches) {
    yield batch.filter(({ cells, faults }) => faults !== undefined || cells.some((cell) => cell !== ""));
  }
}
