// How a table is read, in this order:
// 1. --to-column, --format, --sheet and --encoding decide.
// 2. The header is the first of 20 rows in which a cell names numbers and below which that column has one.
//    Without one it is the first row, if no cell of it is a number; else the list has no header.
// 3. The column of numbers is `to`, else the only one whose name says so and that has a number, else the only one
//    of which nearly all cells are numbers.
// 4. Two that fit are an error that names both, mobile first. 5. An error names the header, the columns and the option.
import {
  columnOfKind,
  isContactHeader,
  isMobileHeader,
  isNumberHeader,
  isOtherHeader,
  speaksOfPhones,
} from "./header-words.ts";
import type { Country } from "../message/number.ts";
import { hasNumber, hasNumberIn, isBareNumber, isPhone, isRunning, looksLikeNumber } from "./number-cells.ts";
import { fieldKey } from "../message/text.ts";
import type { SmsError } from "../errors.ts";
import { isNoValue } from "./listed-row.ts";
import { type DoorOptions, type Head, noNumberColumn, takenText, twoColumns, waysToChoose } from "./column-errors.ts";

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
  /** Columns that say of what kind the number of a column is, by that column. */
  readonly kinds: ReadonlyMap<number, number>;
  /** The ways to choose one of the columns that would fit if they had a number in the sample, by that column. */
  readonly unseen: ReadonlyMap<number, string>;
  /** Other columns that have numbers: the nameless, and all that a list may not lose. */
  readonly besides: readonly number[];
  readonly by: "option" | "name" | "cells";
  /** Names the header, the column and another one, for a list of which no number can be read. */
  readonly choiceText?: () => string | undefined;
}

export interface ColumnOptions extends DoorOptions {
  readonly toColumn?: string;
  readonly country?: Country;
  /** `sms clean` needs the cells of each row. */
  readonly keepsCells?: boolean;
}

type HeadRows = Head["rows"];

const mostTitles = 20;

/** Returns the row that has the names of the columns, or the first that cannot be above it. */
export function headerIndex(rows: HeadRows, toColumn: string | undefined): number {
  const first = rows.slice(0, mostTitles);
  const byOption = toColumn === undefined ? -1 : first.findIndex((cells) => chosenColumns(cells, toColumn).length > 0);
  const header = byOption >= 0 ? byOption : namingRow(rows, first);
  // The part above a header must not be somebody's row.
  const someone = first.slice(0, header).findIndex(isSomebody);
  return someone >= 0 ? someone : header;
}

function namingRow(rows: HeadRows, first: HeadRows): number {
  const widths = first.map((cells) => cells.filter((cell) => cell !== "").length);
  const titles = first.flatMap((cells, index) => (cells.some(isBareNumber) ? [] : [index]));
  const columns = (index: number) => namedColumns(first[index] ?? []);
  const isAbove = (index: number, column: number) => hasDigits(rows.slice(index + 1), column);
  const naming = titles.filter((index) => columns(index).some((column) => isAbove(index, column)));
  const [top, next] = naming;
  // A letterhead may be a table of one row.
  const isAnother = top !== undefined && next === top + 2 && first[top]?.join() !== first[next]?.join();
  if (isAnother) return next;
  const title = top ?? titles.find((index) => columns(index).length > 0);
  if (title !== undefined) {
    const body = first.findIndex((cells, index) => index > title && cells.some(isBareNumber));
    const isHeader = (index: number) => index > title && index < body && (widths[index] ?? 0) > 1;
    // A title of one cell gives way to the header below it.
    return widths[title] === 1 ? (naming.find(isHeader) ?? titles.findLast(isHeader) ?? title) : title;
  }
  const isList = (cells: readonly string[], index: number) => (widths[index] ?? 0) > 1 && !isLabelled(cells);
  const body = first.findIndex((cells, index) => isList(cells, index) && cells.some(hasNumberIn));
  return Math.max(0, first.slice(0, Math.max(0, body)).findIndex(isList));
}

/** A letterhead has rows such as `Account:` and its number. */
function isLabelled(cells: readonly string[]): boolean {
  const [label = "", ...values] = cells.filter((cell) => cell !== "");
  return label.endsWith(":") && values.length === 1;
}

function isSomebody(cells: readonly string[]): boolean {
  return isBareNumber(cells.find((cell) => cell !== "") ?? "");
}

function namedColumns(names: readonly string[]): readonly number[] {
  return indexesOf(names, (name) => (isNumberHeader(name) || isContactHeader(name)) && !hasNumberIn(name));
}

/** Returns the error if no column has numbers, and throws `INVALID_RECIPIENTS` if two columns may have them. */
export function readColumns(head: Head, options: ColumnOptions): Columns | SmsError {
  const { names, rows } = head;
  const { toColumn, country, everyNumber, mend = (option) => option } = options;
  const keys = names.map(fieldKey);
  const byName = toColumn === undefined ? columnsByName(names, rows) : chosenColumns(names, toColumn);
  // If a header has a number in it, the header is somebody's row.
  const isHeadless = names.some(byName.length > 0 ? isBareNumber : hasNumber) || names.some(isNoValue);
  const indexes = toColumn !== undefined ? byName : isHeadless ? [] : fittingColumns(head, country);
  const [to] = indexes;
  if (to === undefined) return noNumberColumn(head, toColumn, mend, numbersAt(rows, names, country));
  const isChosen = toColumn !== undefined && keysIn(toColumn, keys).length === indexes.length;
  if (indexes.length > 1 && !isChosen) throw twoColumns(head, indexes, options);
  const by = toColumn !== undefined ? "option" : byName.includes(to) ? "name" : "cells";
  const ownNames = new Map(names.map((each) => [fieldKey(each), each]));
  const kinds = new Map(
    indexes.map((index) => [index, columnOfKind(names, index)] as const).filter(([, kind]) => kind >= 0),
  );
  const name = indexes.map((index) => names[index] ?? "").join(",");
  const others = names.map((each, index) => (indexes.includes(index) ? "" : each));
  const choiceText = () => takenText(head, name, mend, numbersAt(rows, others, country).likeliest);
  const empty = toColumn !== undefined || name === "to" ? [] : emptyColumns(head).filter((index) => index !== to);
  const unseen = new Map(empty.map((index) => [index, waysToChoose([name, names[index] ?? ""], options)]));
  const isBeside = (index: number) =>
    toColumn === undefined &&
    index !== to &&
    (everyNumber || /^column \d+$/.test(names[index] ?? "")) &&
    shareOfNumbers(names[index], cellsIn(rows, index), country) >= 0.3;
  const besides = [...names.keys()].filter(isBeside);
  return { names, keys, ownNames, to, name, others: indexes.slice(1), kinds, unseen, besides, by, choiceText };
}

function emptyColumns({ names, rows }: Head): readonly number[] {
  const fits = (name: string) => isNumberHeader(name) || isContactHeader(name);
  return indexesOf(names, fits).filter((index) => !hasDigits(rows, index));
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

function chosenColumns(names: readonly string[], toColumn: string): readonly number[] {
  const keys = names.map(fieldKey);
  const choice = keysIn(toColumn, keys);
  if (!choice.every((key) => keys.includes(key))) return [];
  return [...new Set(choice.flatMap((key) => keys.flatMap((each, index) => (each === key ? [index] : []))))];
}

/** A column that the sheet hides fits only beside the others: it never takes their place. */
function fittingColumns({ names, rows, hidden }: Head, country: Country | undefined): readonly number[] {
  const fitting = (some: readonly string[]) => {
    const byName = columnsByName(some, rows);
    return byName.length > 0 ? byName : numberColumns(some, rows, country);
  };
  const all = fitting(names);
  if (!all.some((index) => hidden?.has(index))) return all;
  const visible = fitting(names.map((name, index) => (hidden?.has(index) ? "" : name)));
  const others = all.filter((index) => !visible.includes(index) && hasDigits(rows, index));
  return visible.length === 0 ? all : mobileFirst([...visible, ...others], names);
}

/** One of several columns, such as "Phone" next to "Phone of", may have names. */
function columnsByName(names: readonly string[], rows: HeadRows): readonly number[] {
  const to = names.indexOf("to");
  if (to >= 0 && to === names.lastIndexOf("to")) return [to];
  const numbers = indexesOf(names, (name) => isNumberHeader(name) && !hasNumberIn(name));
  const withDigits = numbers.filter((index) => hasDigits(rows, index));
  const others = indexesOf(names, (name) => isContactHeader(name) && !isNumberHeader(name));
  const contacts = others.filter((index) => hasDigits(rows, index));
  const rivals = contacts.filter((index) => cellsIn(rows, index).some(looksLikeNumber));
  if (withDigits.length > 0) return mobileFirst([...withDigits, ...rivals], names);
  if (contacts.length > 0) return contacts;
  return rows.length > 0 ? mobileFirst(numbers, names).slice(0, 1) : numbers;
}

function mobileFirst(indexes: readonly number[], names: readonly string[]): readonly number[] {
  const rank = (index: number) => (isMobileHeader(names[index] ?? "") ? 0 : 1);
  return indexes.toSorted((a, b) => rank(a) - rank(b) || a - b);
}

function indexesOf(names: readonly string[], isMatch: (name: string) => boolean): readonly number[] {
  return names.flatMap((name, index) => (isMatch(name) ? [index] : []));
}

function cellsIn(rows: HeadRows, index: number): readonly string[] {
  return rows.flatMap((row) => row[index] || []);
}

function hasDigits(rows: HeadRows, index: number): boolean {
  return rows.some((row) => hasNumberIn(row[index] ?? ""));
}

function numberColumns(names: readonly string[], rows: HeadRows, country: Country | undefined): readonly number[] {
  const shares = names.map((name, index) => {
    const cells = cellsIn(rows, index);
    return cells.length * 2 < rows.length ? 0 : shareOfNumbers(name, cells, country);
  });
  if (!shares.some((share) => share >= 0.9)) return [];
  return shares.flatMap((share, index) => (share >= 0.3 ? [index] : []));
}

function shareOfNumbers(name = "", cells: readonly string[], country: Country | undefined): number {
  if (name === "" || isOtherHeader(name)) return 0;
  const numbers = cells.filter((cell) => looksLikeNumber(cell) && isPhone(cell, country));
  return isRunning(numbers) ? 0 : numbers.length / cells.length;
}

/** Which columns a person may mean, and if one goes up by one from row to row. */
function numbersAt(rows: HeadRows, names: readonly string[], country: Country | undefined) {
  const scores = names.map((name, index) => {
    const cells = cellsIn(rows, index).filter(hasNumberIn);
    const phones = cells.filter((cell) => looksLikeNumber(cell) && isPhone(cell, country));
    const dialled = phones.filter((cell) => /^[+0]/.test(cell));
    const inWords = cells.filter((cell) => /(?<!\d)\d{9,15}(?!\d)/.test(cell) && /\p{L}/u.test(cell));
    const signs = phones.length + inWords.length;
    if (name === "" || (signs === 0 && isOtherHeader(name))) return 0;
    const weight = speaksOfPhones(name) ? 100 : isOtherHeader(name) ? 1 : 10;
    return weight * (cells.length + 3 * signs + 10 * dialled.length);
  });
  const most = Math.max(...scores);
  const isCounter = names.some((_, index) => isRunning(cellsIn(rows, index).filter(looksLikeNumber)));
  return { likeliest: most > 0 ? names[scores.indexOf(most)] : undefined, isCounter };
}
