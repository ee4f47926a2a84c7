import { posix } from "node:path";
import { format, getFormatFromId, isDateFormat, isValidFormat } from "numfmt";
import { SmsError, usageError } from "../../errors.ts";
import { mostNamed, quoted } from "../row.ts";
import type { ListFacts, Source } from "../source.ts";
import type { Table, TableRecord } from "../table.ts";
import { notAList, spreadsheet } from "./format.ts";
import { decoded, type Element, elementsIn, openPackage, type Package, tooLarge } from "./package.ts";

/** The programs that write sheets allow no more. */
const mostRows = 1_048_576;
const mostColumns = 16_384;

/** So many characters of text may be shared by the cells of a workbook; each text counts as eight more. */
const mostShared = 64 * 1024 * 1024;

interface Workbook extends Package {
  readonly strings: readonly string[];
  readonly styles: readonly Style[];
  readonly from1904: boolean;
  /** If the writer did not calculate the formulas, it left 0, or values of before. */
  readonly isStale: boolean;
}

/** Formats that follow the reader's country are read in ISO 8601, with the parts that the sheet shows. */
type Style =
  | { readonly kind: "value" }
  | { readonly kind: "duration" }
  | { readonly kind: "iso"; readonly hasDate: boolean; readonly hasTime: boolean; readonly hasSeconds: boolean }
  | { readonly kind: "format"; readonly code: string; readonly isDate: boolean };

interface SheetOptions {
  readonly sheet?: string;
  readonly everyNumber?: boolean;
}

/** Throws for a workbook that is protected, broken or too large. */
export function readWorkbook(source: Source, options: SheetOptions, facts: ListFacts): AsyncGenerator<Table> {
  return withErrorsNamed(sheetsIn(source, options, facts), source.name);
}

async function* withErrorsNamed<Item>(items: AsyncIterable<Item>, name: string): AsyncGenerator<Item> {
  try {
    yield* items;
  } catch (error) {
    if (error instanceof SmsError) throw error;
    const reason = error instanceof Error ? error.message : String(error);
    throw notAList(name, `a broken workbook: ${reason}`, "open it in a spreadsheet, and save it again");
  }
}

async function* sheetsIn(
  source: Source,
  { sheet: only, everyNumber = false }: SheetOptions,
  facts: ListFacts,
): AsyncGenerator<Table> {
  const { name } = source;
  const file = await openPackage(source);
  for (const [part, kind, hint] of [
    ["content.xml", "an OpenDocument file", spreadsheet],
    ["xl/workbook.bin", "a binary workbook (.xlsb)", spreadsheet],
    ["Index/Document.iwa", "a document of Apple", "export it to Excel (File, Export To), and give that .xlsx"],
    ["word/document.xml", "a document of Word", "copy its table into a spreadsheet, and save that as .xlsx"],
  ] as const)
    if (file.has(part)) throw notAList(name, kind, hint);
  const path = (await relationships(file, "")).byType("officeDocument") ?? "xl/workbook.xml";
  const elements = await allOf(file.read(path, "workbookPr", "calcPr", "sheet"));
  const has = (element: string, flag: string) =>
    elements.some((each) => each.name === element && isTrue(each.attributes[flag]));
  const targets = await relationships(file, path);
  const workbook: Workbook = {
    ...file,
    strings: await readStrings(file, targets.byType("sharedStrings")),
    styles: await readStyles(file, targets.byType("styles")),
    from1904: has("workbookPr", "date1904"),
    isStale: has("calcPr", "fullCalcOnLoad"),
  };
  const sheets = elements.flatMap(({ name: element, attributes }) => {
    const id = Object.entries(attributes).find(([key]) => /^\w+:id$/.test(key))?.[1] ?? "";
    const part = element === "sheet" ? targets.byId(id) : undefined;
    const sheet = plain(decoded(attributes["name"] ?? ""));
    return part === undefined ? [] : [{ part, sheet, isHidden: /hidden/i.test(attributes["state"] ?? "") }];
  });
  if (sheets.length === 0) throw notAList(name, "not a list of recipients", spreadsheet);
  if (only !== undefined && !sheets.some(({ sheet }) => sheet === only)) {
    const names = sheets.slice(0, mostNamed).map(({ sheet }) => quoted(sheet));
    const hint = `its sheets are ${names.join(", ")}`;
    throw usageError("INVALID_RECIPIENTS", `${name} has no sheet ${quoted(only)}`, hint);
  }
  for (const { sheet, part, isHidden } of sheets) {
    if (only === undefined && isHidden) facts.passed.push(`the hidden sheet ${quoted(sheet)}`);
    if (only === undefined ? isHidden : sheet !== only) continue;
    const hiddenColumns = new HiddenColumns(everyNumber);
    const records = withErrorsNamed(readSheet(workbook, part, hiddenColumns), name);
    yield { sheet, hiddenColumns: hiddenColumns.withValues, records };
  }
}

async function allOf<Item>(batches: AsyncIterable<readonly Item[]>): Promise<readonly Item[]> {
  const all: Item[] = [];
  for await (const batch of batches) all.push(...batch);
  return all;
}

async function relationships(file: Package, path: string) {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const elements = await allOf(file.read(`${folder}_rels/${path.slice(folder.length)}.rels`, "Relationship"));
  const all = elements.map(({ attributes: { Id: id, Type: type = "", Target: target = "" } }) => ({
    id,
    type,
    target: posix.resolve("/", folder, target).slice(1),
  }));
  return {
    byId: (id: string) => all.find((each) => each.id === id && each.type.endsWith("/worksheet"))?.target,
    byType: (type: string) => all.find((each) => each.type.endsWith(`/${type}`))?.target,
  };
}

async function readStyles(file: Package, part = "xl/styles.xml"): Promise<readonly Style[]> {
  const elements = await allOf(file.read(part, "numFmts", "cellXfs"));
  const all = (name: string) => elements.filter((element) => element.name === name).flatMap(elementsIn);
  const codes = new Map(
    all("numFmts").map(({ attributes: { numFmtId, formatCode = "" } }) => [Number(numFmtId), decoded(formatCode)]),
  );
  return all("cellXfs").map(({ attributes: { numFmtId } }) => {
    const id = Number(numFmtId ?? 0);
    return styleOf(id, codes.get(id));
  });
}

/** A format of the standard has a number and needs no code (ECMA-376, 18.8.30). */
function styleOf(id: number, codeOfFile: string | undefined): Style {
  // A program may write the code that its own country has for one of these.
  const ofReader = id >= 14 && id <= 22 ? getFormatFromId(id) : undefined;
  const code = ofReader ?? codeOfFile ?? getFormatFromId(id) ?? "General";
  if ((ofReader !== undefined || codeOfFile === undefined) && isDateFormat(code)) {
    // In East Asia 34 and 35 are dates, unlike in numfmt.
    const hasDate = /[dy]/.test(code) || id === 34 || id === 35;
    return id === 46
      ? { kind: "duration" }
      : isoStyle(hasDate, /h|m.*s/.test(code) && !(id === 34 || id === 35), /s/.test(code));
  }
  const marks = code.replace(/"[^"]*"|\\.|_.|\*./g, "");
  if (/\[\$-(?:F800|x-sysdate)\]/i.test(code)) return isoStyle(true, false, false);
  if (/\[\$-(?:F400|x-systime)\]/i.test(code)) return isoStyle(false, true, true);
  // Some programs write a currency without the quotes around it.
  const codeInQuotes = code.replace(/^[A-Z]{2,4}\s?(?=[#0])/i, '"$&"');
  if (/^(?:General|@)?$|E[+-]/i.test(marks) || !isValidFormat(codeInQuotes)) return { kind: "value" };
  return { kind: "format", code: codeInQuotes, isDate: isDateFormat(codeInQuotes) };
}

function isoStyle(hasDate: boolean, hasTime: boolean, hasSeconds: boolean): Style {
  return { kind: "iso", hasDate, hasTime, hasSeconds };
}

async function readStrings(file: Package, part = "xl/sharedStrings.xml"): Promise<readonly string[]> {
  const strings: string[] = [];
  let size = 0;
  for await (const batch of file.read(part, "si")) {
    for (const shared of batch) {
      const text = plain(textIn(shared));
      size += text.length + 8;
      if (size > mostShared) throw tooLarge();
      strings.push(text);
    }
  }
  return strings;
}

/** White space that lays out the XML is no text. */
function textIn(element: Element): string {
  const isText = element.name === "v" || element.name === "t";
  return element.content.map((item) => (typeof item !== "string" ? textIn(item) : isText ? item : "")).join("");
}

class HiddenColumns {
  readonly withValues = new Set<number>();
  readonly #ranges: { readonly first: number; readonly last: number }[] = [];
  readonly #areKept: boolean;

  constructor(areKept: boolean) {
    this.#areKept = areKept;
  }

  add({ min, max, hidden, width }: Element["attributes"]): void {
    if (isTrue(hidden) || Number(width ?? 1) === 0)
      this.#ranges.push({ first: Number(min) - 1, last: Number(max) - 1 });
  }

  /** Asked for a column that has a value. */
  leavesOut(column: number): boolean {
    const isHidden = this.#ranges.some(({ first, last }) => column >= first && column <= last);
    if (isHidden) this.withValues.add(column);
    return isHidden && !this.#areKept;
  }
}

async function* readSheet(
  workbook: Workbook,
  part: string,
  hiddenColumns: HiddenColumns,
): AsyncGenerator<readonly TableRecord[]> {
  if (!workbook.has(part)) throw new Error(`it has no ${part}`);
  const merged = new MergedCells();
  // Merged cells stand behind the rows that they are in.
  for await (const cells of workbook.read(part, "mergeCell")) cells.forEach((cell) => merged.add(cell.attributes));
  let line = 0;
  for await (const elements of workbook.read(part, "cols", "row")) {
    const records: TableRecord[] = [];
    for (const element of elements) {
      if (element.name === "cols") {
        for (const { attributes } of elementsIn(element)) hiddenColumns.add(attributes);
        continue;
      }
      const { r, hidden: isHidden, ht: height } = element.attributes;
      line = r === undefined ? line + 1 : Number(r);
      if (!(line >= 1 && line <= mostRows)) throw new Error(`it has a row ${line}`);
      const { cells, faults } = cellsOf(element, workbook, hiddenColumns);
      if (cells.length === 0) continue;
      merged.fill(line, { cells, faults });
      records.push({
        line,
        cells,
        faults: faults.size > 0 ? faults : undefined,
        isHidden: isTrue(isHidden) || height === "0" ? true : undefined,
      });
    }
    yield records;
  }
}

interface MergedRange {
  readonly column: number;
  readonly last: number;
}

class MergedCells {
  readonly #beginning = new Map<number, MergedRange[]>();
  #count = 0;
  #open: (MergedRange & Value)[] = [];

  add({ ref = "" }: Element["attributes"]): void {
    const [, column = "", first, end] = /^([A-Z]+)(\d+):[A-Z]+(\d+)$/.exec(ref) ?? [];
    const [row, last] = [Number(first), Number(end)];
    if (!(last > row)) return;
    if (++this.#count > mostRows) throw tooLarge();
    const ranges = this.#beginning.get(row) ?? [];
    ranges.push({ column: columnOf(column), last });
    this.#beginning.set(row, ranges);
  }

  fill(line: number, row: Cells): void {
    for (const { column, last, ...value } of this.#open)
      if (line <= last && (row.cells[column] ?? "") === "") put(row, column, value);
    const beginning = this.#beginning.get(line);
    if (beginning === undefined) return;
    this.#open = this.#open.filter(({ last }) => last > line);
    for (const range of beginning)
      this.#open.push({ ...range, text: row.cells[range.column] ?? "", fault: row.faults.get(range.column) });
  }
}

interface Cells {
  readonly cells: string[];
  readonly faults: Map<number, string>;
}

interface Value {
  readonly text: string;
  readonly fault?: string;
}

function put({ cells, faults }: Cells, column: number, { text, fault }: Value): void {
  while (cells.length < column) cells.push("");
  cells[column] = text;
  if (fault !== undefined) faults.set(column, fault);
}

function cellsOf(row: Element, workbook: Workbook, hiddenColumns: HiddenColumns): Cells {
  const cells: Cells = { cells: [], faults: new Map() };
  let column = -1;
  for (const cell of elementsIn(row)) {
    const { r } = cell.attributes;
    column = r === undefined ? column + 1 : columnOf(r);
    if (column >= mostColumns) throw new Error(`it has a column ${r ?? column + 1}`);
    const value = valueOf(cell, workbook);
    if ((value.text !== "" || value.fault !== undefined) && !hiddenColumns.leavesOut(column)) put(cells, column, value);
  }
  return cells;
}

function valueOf(cell: Element, { strings, styles, from1904, isStale }: Workbook): Value {
  const { t: type = "n", s: styleIndex } = cell.attributes;
  const style = styles[Number(styleIndex ?? 0)] ?? { kind: "value" };
  const text = textIn(cell);
  const hasValue = text !== "";
  const isFormula = elementsIn(cell).some(({ name }) => name === "f");
  if (!hasValue && (!isFormula || (type === "str" && !isStale))) return { text: "" };
  if (!hasValue || (isFormula && isStale)) {
    const lacks = hasValue ? "was not calculated" : "has no value";
    return { text: "", fault: `its formula ${lacks}: open the workbook in a spreadsheet, and save it` };
  }
  switch (type) {
    case "s": {
      const shared = strings[Number(text)];
      if (shared === undefined) throw new Error("a cell refers to a text that is not there");
      return { text: shownText(shared.trim(), style) };
    }
    case "b":
      return { text: text === "1" ? "TRUE" : "FALSE" };
    case "e":
      if (text === "#N/A") return { text };
      return { text, fault: `it has the error ${text}` };
    case "inlineStr":
    case "str":
      return { text: shownText(plain(text).trim(), style) };
    case "d":
      return { text: shownDay(text.trim(), style, from1904) };
    default: {
      const number = Number(text);
      if (text.trim() === "" || Number.isNaN(number)) return { text: text.trim() };
      const value = { text: shownNumber(number, style, from1904) };
      if (Math.abs(number) < 1e15) return value;
      return { ...value, fault: "it has more than 15 digits, which the workbook has rounded: make it text" };
    }
  }
}

function shownNumber(number: number, style: Style, from1904: boolean): string {
  if (style.kind === "value") return numberText(number);
  if (style.kind !== "format") return isoDate(number, style, from1904);
  const daysTo1904 = style.isDate && from1904 ? 1462 : 0;
  return format(style.code, number + daysTo1904, { nbsp: false }).trim();
}

/** A cell in ISO 8601 obeys its format as well. */
function shownDay(text: string, style: Style, from1904: boolean): string {
  const milliseconds = Date.parse(/^\d{4}-\d\d-\d\dT[\d:.]+$/.test(text) ? `${text}Z` : text);
  if (!/^\d{4}-\d\d-\d\d/.test(text) || Number.isNaN(milliseconds)) return text;
  const days = milliseconds / 86_400_000 + 25_569 - (from1904 ? 1462 : 0);
  const isWhole = Number.isInteger(days);
  return shownNumber(days, style.kind === "value" ? isoStyle(true, !isWhole, false) : style, from1904);
}

function shownText(text: string, style: Style): string {
  const isWritten = style.kind === "format" && style.code.includes("@");
  return isWritten ? format(style.code, text, { nbsp: false }).trim() : text;
}

/** Days count from 1900, which Excel takes for a leap year, or from 1904. */
function isoDate(number: number, style: Exclude<Style, { kind: "value" | "format" }>, from1904: boolean): string {
  const seconds = Math.round(number * 86_400);
  const days = Math.floor(seconds / 86_400);
  if (number < 0) return numberText(number);
  if (style.kind === "duration") return clock(seconds);
  const time = clock(seconds - days * 86_400).slice(0, style.hasSeconds ? 8 : 5);
  if (!style.hasDate) return time;
  const first = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const date = new Date(first + seconds * 1000);
  // No spreadsheet has a later day: the number has its format by accident.
  if (!(date.getTime() < Date.UTC(10_000, 0))) return numberText(number);
  const day = date.toISOString().slice(0, 10);
  return style.hasTime ? `${day} ${time}` : day;
}

/** Binary fractions add digits after the first 15. */
function numberText(number: number): string {
  const text = String(Number(number.toPrecision(15)));
  return text.includes("e") ? number.toFixed(15).replace(/\.?0+$/, "") : text;
}

function clock(seconds: number): string {
  return [seconds / 3600, (seconds / 60) % 60, seconds % 60]
    .map((part) => String(Math.floor(part)).padStart(2, "0"))
    .join(":");
}

function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true";
}

function columnOf(cell: string): number {
  const letters = /^[a-z]{1,4}/i.exec(cell)?.[0].toUpperCase() ?? "";
  return Array.from(letters).reduce((column, letter) => column * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

function plain(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
