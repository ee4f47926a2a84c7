import { posix } from "node:path";
import { format, getFormatFromId, isDateFormat, isValidFormat } from "numfmt";
import type { TableRecord } from "../table.ts";
import {
  allOf,
  clock,
  decoded,
  type Element,
  elementsIn,
  mostColumns,
  mostRows,
  numberText,
  numberValue,
  type ReadPart,
  type ReadTail,
  type Sheet,
  tooLarge,
  type Value,
} from "./sheet.ts";

/** So many characters of text may be shared by the cells of a workbook; each text counts as eight more. */
const mostShared = 64 * 1024 * 1024;

interface Workbook {
  readonly strings: readonly string[];
  readonly styles: readonly Style[];
  readonly from1904: boolean;
  /** If the writer did not calculate the formulas, it left 0, or values of before. */
  readonly isStale: boolean;
}

/** `date`, `time` and `duration` follow the reader's country, so that they are read in ISO 8601. */
type Style =
  | { readonly kind: "value" | "date" | "time" | "duration" }
  | { readonly kind: "format"; readonly code: string; readonly isDate: boolean };

interface SheetOptions {
  readonly keepsHidden: boolean;
}

export async function* readXlsx(readPart: ReadPart, readTail: ReadTail, options: SheetOptions): AsyncGenerator<Sheet> {
  const path = (await relationships(readPart, "")).byType("officeDocument") ?? "xl/workbook.xml";
  const found = await allOf(readPart(path, ["workbookPr", "calcPr", "sheet"]));
  const has = (name: string, flag: string) =>
    found.some((element) => element.name === name && isTrue(element.attributes[flag]));
  const targets = await relationships(readPart, path);
  const workbook: Workbook = {
    strings: await readStrings(readPart, targets.byType("sharedStrings")),
    styles: await readStyles(readPart, targets.byType("styles")),
    from1904: has("workbookPr", "date1904"),
    isStale: has("calcPr", "fullCalcOnLoad"),
  };
  for (const { name, attributes } of found) {
    const id = Object.entries(attributes).find(([key]) => /^\w+:id$/.test(key))?.[1] ?? "";
    const target = name === "sheet" ? targets.byId(id) : undefined;
    if (target === undefined) continue;
    const hidden = new HiddenColumns(options.keepsHidden);
    yield {
      name: plain(decoded(attributes["name"] ?? "")),
      isHidden: /hidden/i.test(attributes["state"] ?? ""),
      hiddenColumns: hidden.dropped,
      records: readSheet({ readPart, readTail, part: target, workbook, hidden }),
    };
  }
}

async function relationships(readPart: ReadPart, path: string) {
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const found = await allOf(readPart(`${folder}_rels/${path.slice(folder.length)}.rels`, ["Relationship"]));
  const all = found.map(({ attributes: { Id: id, Type: type = "", Target: target = "" } }) => ({
    id,
    type,
    target: posix.resolve("/", folder, target).slice(1),
  }));
  return {
    byId: (id: string) => all.find((one) => one.id === id && one.type.endsWith("/worksheet"))?.target,
    byType: (type: string) => all.find((one) => one.type.endsWith(`/${type}`))?.target,
  };
}

async function readStyles(readPart: ReadPart, part = "xl/styles.xml"): Promise<readonly Style[]> {
  const found = await allOf(readPart(part, ["numFmts", "cellXfs"]));
  const all = (name: string) => found.filter((element) => element.name === name).flatMap(elementsIn);
  const codes = new Map(
    all("numFmts").map(({ attributes: { numFmtId, formatCode = "" } }) => [Number(numFmtId), decoded(formatCode)]),
  );
  return all("cellXfs").map(({ attributes: { numFmtId } }) => {
    const id = Number(numFmtId ?? 0);
    return styleOf(id, codes.get(id));
  });
}

/** A format of the standard has a number and needs no code (ECMA-376, 18.8.30). */
function styleOf(id: number, own: string | undefined): Style {
  if (own === undefined) {
    if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || (id >= 34 && id <= 36))
      return { kind: "date" };
    if (id >= 50 && id <= 58) return { kind: "date" };
    if (id === 46) return { kind: "duration" };
    if ((id >= 18 && id <= 21) || (id >= 32 && id <= 33) || id === 45 || id === 47) return { kind: "time" };
  }
  const code = own ?? getFormatFromId(id) ?? "General";
  const unquoted = code.replace(/"[^"]*"|\\.|_.|\*./g, "");
  if (/\[\$-(?:F800|x-sysdate)\]/i.test(code)) return { kind: "date" };
  if (/\[\$-(?:F400|x-systime)\]/i.test(code)) return { kind: "time" };
  if (/^(?:General|@)?$|E[+-]/i.test(unquoted) || !isValidFormat(code)) return { kind: "value" };
  return { kind: "format", code, isDate: isDateFormat(code) };
}

async function readStrings(readPart: ReadPart, part = "xl/sharedStrings.xml"): Promise<readonly string[]> {
  const strings: string[] = [];
  let size = 0;
  for await (const batch of readPart(part, ["si"]) ?? []) {
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

/** A hidden column counts only once it has had a value. */
class HiddenColumns {
  readonly dropped = new Set<number>();
  readonly #ranges: { readonly first: number; readonly last: number }[] = [];
  readonly #keepsHidden: boolean;

  constructor(keepsHidden: boolean) {
    this.#keepsHidden = keepsHidden;
  }

  add({ min, max, hidden, width }: Element["attributes"]): void {
    if (this.#keepsHidden || (!isTrue(hidden) && Number(width ?? 1) !== 0)) return;
    this.#ranges.push({ first: Number(min) - 1, last: Number(max) - 1 });
  }

  drops(column: number): boolean {
    const isHidden = this.#ranges.some(({ first, last }) => column >= first && column <= last);
    if (isHidden) this.dropped.add(column);
    return isHidden;
  }
}

interface SheetSource {
  readonly readPart: ReadPart;
  readonly readTail: ReadTail;
  readonly part: string;
  readonly workbook: Workbook;
  readonly hidden: HiddenColumns;
}

async function* readSheet(source: SheetSource): AsyncGenerator<readonly TableRecord[]> {
  const { readPart, readTail, part, workbook, hidden } = source;
  const batches = readPart(part, ["cols", "row"]);
  if (batches === undefined) throw new Error(`it has no ${part}`);
  const merged = new MergedCells(await readTail(part, "mergeCells"));
  let line = 0;
  for await (const elements of batches) {
    const records: TableRecord[] = [];
    for (const element of elements) {
      if (element.name === "cols") {
        for (const { attributes } of elementsIn(element)) hidden.add(attributes);
        continue;
      }
      const { r, hidden: isHidden, ht: height } = element.attributes;
      line = r === undefined ? line + 1 : Number(r);
      if (!(line >= 1 && line <= mostRows)) throw new Error(`it has a row ${line}`);
      const { cells, faults } = cellsOf(element, workbook, hidden);
      if (cells.length === 0) continue;
      merged.fill(line, cells, faults);
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

class MergedCells {
  readonly #beginning = new Map<number, { readonly column: number; readonly last: number }[]>();
  #open: {
    readonly column: number;
    readonly last: number;
    readonly text: string;
    readonly fault: string | undefined;
  }[] = [];

  constructor(xml: string) {
    for (const [, ref = ""] of xml.matchAll(/<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]+\d+:[A-Z]+\d+)"/g)) {
      const [first = "", end = ""] = ref.split(":");
      const [row, last] = [first, end].map((cell) => Number(cell.replace(/\D/g, "")));
      if (row === undefined || last === undefined || last <= row) continue;
      const ranges = this.#beginning.get(row) ?? [];
      ranges.push({ column: columnOf(first), last });
      this.#beginning.set(row, ranges);
    }
  }

  fill(line: number, cells: string[], faults: Map<number, string>): void {
    for (const { column, last, text, fault } of this.#open) {
      if (line > last || (cells[column] ?? "") !== "") continue;
      while (cells.length < column) cells.push("");
      cells[column] = text;
      if (fault !== undefined) faults.set(column, fault);
    }
    const beginning = this.#beginning.get(line);
    if (beginning === undefined) return;
    this.#open = this.#open.filter(({ last }) => last > line);
    for (const { column, last } of beginning)
      this.#open.push({ column, last, text: cells[column] ?? "", fault: faults.get(column) });
  }
}

function cellsOf(row: Element, workbook: Workbook, hidden: HiddenColumns) {
  const cells: string[] = [];
  const faults = new Map<number, string>();
  let column = -1;
  for (const cell of elementsIn(row)) {
    const { r } = cell.attributes;
    column = r === undefined ? column + 1 : columnOf(r);
    if (column >= mostColumns) throw new Error(`it has a column ${r ?? column + 1}`);
    const { text, fault } = valueOf(cell, workbook);
    if ((text === "" && fault === undefined) || hidden.drops(column)) continue;
    while (cells.length < column) cells.push("");
    cells[column] = text;
    if (fault !== undefined) faults.set(column, fault);
  }
  return { cells, faults };
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
      return { text: text.trim().replace(/T00:00:00(\.0+)?$/, "") };
    default: {
      const number = Number(text);
      if (text.trim() === "" || Number.isNaN(number)) return { text: text.trim() };
      return numberValue(number, shownNumber(number, style, from1904));
    }
  }
}

function shownNumber(number: number, style: Style, from1904: boolean): string {
  if (style.kind === "value") return numberText(number);
  if (style.kind !== "format") return isoDate(number, style.kind, from1904);
  const daysTo1904 = style.isDate && from1904 ? 1462 : 0;
  return format(style.code, number + daysTo1904, { nbsp: false }).trim();
}

function shownText(text: string, style: Style): string {
  const isWritten = style.kind === "format" && style.code.includes("@");
  return isWritten ? format(style.code, text, { nbsp: false }).trim() : text;
}

/** Days count from 1900, which Excel takes for a leap year, or from 1904. */
function isoDate(number: number, kind: "date" | "time" | "duration", from1904: boolean): string {
  const seconds = Math.round(number * 86_400);
  const days = Math.floor(seconds / 86_400);
  const rest = seconds - days * 86_400;
  if (number < 0) return numberText(number);
  if (kind === "duration" || (days === 0 && kind === "time")) return clock(seconds);
  const first = from1904 ? Date.UTC(1904, 0, 1) : Date.UTC(1899, 11, days < 60 ? 31 : 30);
  const date = new Date(first + days * 86_400_000);
  // No spreadsheet has a later day: the number has its format by accident.
  if (!(date.getTime() < Date.UTC(10_000, 0))) return numberText(number);
  const day = date.toISOString().slice(0, 10);
  return rest === 0 && kind === "date" ? day : `${day}T${clock(rest)}`;
}

function isTrue(text: string | undefined): boolean {
  return text === "1" || text === "true";
}

function columnOf(name: string): number {
  let column = 0;
  for (let at = 0; at < name.length; at++) {
    const letter = name.charCodeAt(at) & ~0x20;
    if (letter < 65 || letter > 90) break;
    column = column * 26 + letter - 64;
    if (column > mostColumns) break;
  }
  return column - 1;
}

function plain(text: string): string {
  if (!text.includes("_x")) return text;
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, hex) => String.fromCharCode(Number.parseInt(hex, 16)));
}
