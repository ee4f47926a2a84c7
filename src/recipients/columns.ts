import { nearest } from "../words/nearest.ts";
import { isContactHeader, isNumberHeader } from "./header-words.ts";
import { type Country, readListedNumber } from "../message/number.ts";
import { shellWord } from "../words/shell-word.ts";
import { fieldKey, type TemplateField } from "../message/text.ts";
import { type SmsError, usageError } from "../errors.ts";
import { mostNamed, quoted } from "./row.ts";

export interface Columns {
  /** The names lack the white space around them; a column that is passed over has an empty name. */
  readonly names: readonly string[];
  readonly keys: readonly string[];
  readonly ownNames: ReadonlyMap<string, string>;
  readonly to: number;
  /** The names of all columns that have numbers. */
  readonly name: string;
  /** If a row has no number in the first column, one of these has its number. */
  readonly others: readonly number[];
  readonly by: "option" | "name" | "cells";
}

interface Head {
  readonly list: string;
  readonly names: readonly string[];
  readonly rows: readonly (readonly string[])[];
  readonly delimiter: string | undefined;
}

export interface ColumnOptions {
  readonly toColumn?: string;
  readonly country?: Country;
  /** `sms clean` needs the cells of each row, and refuses rows instead of the list. */
  readonly keepsCells?: boolean;
}

const mostTitles = 20;

/** Titles above a header fill fewer cells. */
export function headerIndex(records: Head["rows"], toColumn: string | undefined): number {
  const first = records.slice(0, mostTitles);
  const counts = first.map((cells) => cells.filter((cell) => cell !== "").length);
  const most = Math.max(0, ...counts);
  const firstNumber = first.findIndex((cells) => cells.some(looksLikeNumber));
  // The part above a header must not be somebody's row.
  const last = firstNumber < 0 ? first.length - 1 : firstNumber;
  const above = counts.flatMap((count, index) => (index <= last && count > Math.min(1, most / 2) ? [index] : []));
  const wide = above.filter((index) => (counts[index] ?? 0) > most / 2);
  const isNamed = (index: number) => index !== firstNumber && candidates(first[index] ?? [], toColumn).length > 0;
  // A row with a cell too many may be wider than the header.
  return wide.find(isNamed) ?? above.find(isNamed) ?? wide[0] ?? Math.max(0, last);
}

/** Returns the error if no column has numbers, and throws `INVALID_RECIPIENTS` if two columns may have them. */
export function readColumns(head: Head, { toColumn, country }: ColumnOptions): Columns | SmsError {
  const { list, names, rows } = head;
  const keys = names.map(fieldKey);
  const byName = candidates(names, toColumn, rows);
  // If a header has a number in it, the header is somebody's row.
  const isNamed = byName.length > 0 || toColumn !== undefined || names.some(hasNumber);
  const indexes = isNamed ? byName : numberColumns(names, rows, country);
  const [to, another, ...more] = indexes;
  if (to === undefined) return noNumberColumn(head, toColumn);
  const name = indexes.map((index) => names[index] ?? "").join(",");
  const isChosen = toColumn !== undefined && keysIn(toColumn, keys).length === indexes.length;
  if (another !== undefined && !isChosen) {
    const both = indexes
      .slice(0, mostNamed)
      .map((index) => (names[index] ? quoted(names[index]) : `column ${index + 1}`));
    const isRepeated = keys[to] === keys[another];
    const choice = indexes.slice(0, 2).map((index) => `--to-column ${shellWord(names[index] ?? "")}`);
    const first = `--to-column ${shellWord(name)}`;
    throw invalid(
      `${list} has ${more.length === 0 ? "two" : indexes.length} columns of numbers: ${both.join(" and ")}`,
      `${isRepeated ? "rename one of them" : `choose with ${choice.join(" or ")}`}; ${first} takes the first that has a number in each row`,
    );
  }
  if (keys[to] === "") {
    throw invalid(`column ${to + 1} of ${list} has the numbers and no name`, "name it in the header, such as to");
  }
  const by = toColumn !== undefined ? "option" : byName.length > 0 ? "name" : "cells";
  const ownNames = new Map(names.map((each) => [fieldKey(each), each]));
  return { names, keys, ownNames, to, name, others: indexes.slice(1), by };
}

export function mayBeHeader(names: readonly string[]): boolean {
  return names.length > 1 && !names.some(hasNumber);
}

/** A column whose name has a comma is found before several columns. */
export function keysIn(toColumn: string, keys: readonly string[]): readonly string[] {
  const whole = fieldKey(toColumn);
  if (keys.includes(whole)) return [whole];
  return toColumn
    .split(",")
    .map(fieldKey)
    .filter((key) => key !== "");
}

function candidates(
  names: readonly string[],
  toColumn: string | undefined,
  rows: Head["rows"] = [],
): readonly number[] {
  if (toColumn !== undefined) {
    const keys = names.map(fieldKey);
    const choice = keysIn(toColumn, keys);
    if (!choice.every((key) => keys.includes(key))) return [];
    return [...new Set(choice.flatMap((key) => keys.flatMap((each, index) => (each === key ? [index] : []))))];
  }
  const to = names.indexOf("to");
  if (to >= 0 && to === names.lastIndexOf("to")) return [to];
  const indexesOf = (isMatch: (name: string) => boolean) =>
    names.flatMap((name, index) => (isMatch(name) ? [index] : []));
  const numbers = indexesOf(isNumberHeader);
  if (numbers.length === 1) return numbers;
  // One of several columns, such as "Phone" next to "Phone of", may have names.
  const withDigits = (indexes: readonly number[]) => indexes.filter((index) => hasDigits(rows, index));
  if (numbers.length === 0) return withDigits(indexesOf(isContactHeader));
  const others = withDigits(numbers);
  return others.length > 0 ? others : numbers;
}

function cellsIn(rows: Head["rows"], index: number): readonly string[] {
  return rows.flatMap((row) => row[index] || []);
}

function hasDigits(rows: Head["rows"], index: number): boolean {
  const cells = cellsIn(rows, index);
  return cells.length === 0 || cells.some(hasNumberIn);
}

export function hasNumberIn(cell: string): boolean {
  return /(?:\p{Nd}\P{Nd}{0,3}){6}/u.test(cell);
}

function numberColumns(
  names: readonly string[],
  rows: Head["rows"],
  country: ColumnOptions["country"],
): readonly number[] {
  const shares = names.map((_, index) => {
    const cells = cellsIn(rows, index);
    const numbers = cells.filter((cell) => looksLikeNumber(cell) && isPhone(cell, country));
    return cells.length * 2 < rows.length || isRunning(numbers) ? 0 : numbers.length / cells.length;
  });
  if (!shares.some((share) => share >= 0.9)) return [];
  return shares.flatMap((share, index) => (share >= 0.3 ? [index] : []));
}

/** A number without + and 0 must be no landline's, as invoices are by accident. */
function isPhone(cell: string, country: ColumnOptions["country"]): boolean {
  const home = cell.startsWith("+") ? undefined : country;
  // Without a country the rows say that they need one.
  const number = readListedNumber(home === undefined ? `+${cell.replace(/^\+|^00/, "")}` : cell, home);
  return number.kind === "number" && number.assigned && (/^[+0(]/.test(cell) || number.noMobile === undefined);
}

function isRunning(numbers: readonly string[]): boolean {
  const steps = numbers.filter((number, index) => index > 0 && Number(number) - Number(numbers[index - 1]) === 1);
  return numbers.length > 2 && steps.length * 2 > numbers.length;
}

export function looksLikeNumber(cell: string): boolean {
  return /^\+?[\d\s().-]{7,20}$/.test(cell) && /\d{3}/.test(cell) && !/^\d{4}-\d\d-\d\d$/.test(cell);
}

function hasNumber(cell: string): boolean {
  return looksLikeNumber(cell) || /\d{7}|\+\d[\d\s()-]{5}|\b0\d{2,3}[ -]\d{3}/.test(cell);
}

function noNumberColumn({ list, names, rows, delimiter }: Head, toColumn: string | undefined): SmsError {
  const plain =
    delimiter === undefined || names.length > 1 ? "" : ", or one number per line is for `sms send --format plain`";
  const number = names.find(hasNumber);
  if (number !== undefined) {
    const hint = `add a first line that names the columns, such as to,name${plain}`;
    return invalid(`${list} has no header: its first line has the number ${quoted(number)}`, hint);
  }
  const runs = names.some((_, index) => isRunning(cellsIn(rows, index).filter(looksLikeNumber)));
  const near = toColumn === undefined ? undefined : nearest(toColumn, names);
  const name = near ?? (names.length === 1 ? names[0] : undefined);
  const choice = `choose ${name === undefined ? "one with --to-column" : `--to-column ${shellWord(name)}`}`;
  return invalid(
    toColumn === undefined
      ? `${list} has no column of numbers: no header says so, such as to or phone, and ${runs ? "a column of numbers goes up by one from row to row, as invoices do" : "no column has a number in nearly every cell"}`
      : `${list} has no column named ${quoted(toColumn)}`,
    `its columns are ${listed(names)}: ${choice}${plain}`,
  );
}

export function refuseRepeated(list: string, names: readonly string[], fields: readonly string[]): void {
  const keys = names.map(fieldKey);
  const double = fields.find((key) => keys.indexOf(key) !== keys.lastIndexOf(key));
  if (double === undefined) return;
  const hint = "rename or remove one of them";
  throw invalid(`${list} has two columns named ${quoted(double)}, and the text needs one`, hint);
}

/** `file` is undefined for recipients of --to. */
export function unknownFields(
  fields: readonly TemplateField[],
  columns: readonly string[],
  file: string | undefined,
  others: SmsError | undefined,
): SmsError {
  const text = `the message contains ${fields.map(({ name }) => `{{${name}}}`).join(" and ")}`;
  if (file === undefined) {
    const hint = "write the value in its place, or give recipients with fields by --recipients";
    return usageError("UNFILLED_FIELD", `${text}, and recipients given with --to have no fields to fill it`, hint);
  }
  const near = fields.flatMap(({ name }) => nearest(name, columns) ?? []);
  const question = near.length === 0 ? "" : `: did you mean ${near.map((name) => `{{${name}}}`).join(" and ")}?`;
  return usageError("UNKNOWN_FIELD", `${text}, and ${file} has no column of that name`, {
    hint:
      columns.length === 0
        ? "give the fields in a CSV file with a header, such as to,name"
        : `its columns are ${listed(columns)}${question}`,
    details: others?.details,
    faults: others?.faults,
  });
}

function listed(names: readonly string[]): string {
  const more = names.length - mostNamed;
  const first = names.filter((name) => name !== "").slice(0, mostNamed);
  return `${first.map((name) => quoted(name)).join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}

function invalid(message: string, hint: string): SmsError {
  return usageError("INVALID_RECIPIENTS", message, hint);
}
