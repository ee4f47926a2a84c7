import { posix } from "node:path";
import { maxRowBytes } from "./row.ts";
import type { TableRecord } from "./table.ts";
import {
  clock,
  decoded,
  mostColumns,
  mostRows,
  numberFault,
  numberText,
  type ReadPart,
  type Sheet,
  tooLarge,
} from "./sheet.ts";

/** So many characters of text may be shared by the cells of a workbook; each text counts as eight more. */
const mostShared = 64 * 1024 * 1024;

const mostStyles = 65_536;

interface Styles {
  /** For each style of a cell, what its numbers are. */
  readonly kinds: readonly NumberKind[];
  /** Whether days are counted from 1904 and not from 1900. */
  readonly from1904: boolean;
  /** Whether its writer did not calculate the formulas: it left 0, or values of before. */
  readonly isStale: boolean;
}

type NumberKind = "number" | "date" | "time" | "duration";

export async function* readXlsx(readPart: ReadPart, notOne: () => Error): AsyncGenerator<Sheet> {
  const path = await workbookPath(readPart);
  const folder = path.slice(0, path.lastIndexOf("/") + 1);
  const sheets: { name: string; id: string; isHidden: boolean }[] = [];
  let from1904 = false;
  let isStale = false;
  const isThere = await readAll(readPart, path, (name, attributes) => {
    if (name === "workbookPr") from1904 = isTrue(attributes()["date1904"]);
    if (name === "calcPr") isStale = isTrue(attributes()["fullCalcOnLoad"]);
    if (name !== "sheet") return;
    const found = attributes();
    const id = Object.entries(found).find(([key]) => /^\w+:id$/.test(key))?.[1] ?? "";
    sheets.push({ name: plain(decoded(found["name"] ?? "")), id, isHidden: /hidden/i.test(found["state"] ?? "") });
  });
  if (!isThere) throw notOne();
  const targets = await relationships(readPart, folder, path);
  const kinds = await readStyles(readPart, targets.byType("styles") ?? `${folder}styles.xml`);
  const strings = await readStrings(readPart, targets.byType("sharedStrings") ?? `${folder}sharedStrings.xml`);
  for (const { name, id, isHidden } of sheets) {
    const target = targets.byId(id);
    if (target === undefined) continue;
    const hidden = { rows: 0 };
    const records = readSheet(readPart, target, strings, { kinds, from1904, isStale }, hidden);
    yield { name, isHidden, records, hiddenRows: () => hidden.rows };
  }
}

async function workbookPath(readPart: ReadPart): Promise<string> {
  let path = "xl/workbook.xml";
  await readAll(readPart, "_rels/.rels", (name, attributes) => {
    const { Type: type = "", Target: target = "" } = name === "Relationship" ? attributes() : {};
    if (type.endsWith("/officeDocument")) path = target.replace(/^\//, "");
  });
  return path;
}

async function relationships(readPart: ReadPart, folder: string, path: string) {
  const found: { readonly id: string; readonly type: string; readonly target: string }[] = [];
  await readAll(readPart, `${folder}_rels/${path.slice(folder.length)}.rels`, (name, attributes) => {
    if (name !== "Relationship") return;
    const { Id: id = "", Type: type = "", Target: target = "" } = attributes();
    found.push({ id, type, target: posix.resolve("/", folder, target).slice(1) });
  });
  return {
    byId: (id: string) => found.find((one) => one.id === id && one.type.endsWith("/worksheet"))?.target,
    byType: (type: string) => found.find((one) => one.type.endsWith(`/${type}`))?.target,
  };
}

async function readAll(
  readPart: ReadPart,
  part: string,
  open: (name: string, attributes: () => Readonly<Record<string, string>>) => void,
): Promise<boolean> {
  const steps = readPart(part, { open, close: () => {} });
  if (steps === undefined) return false;
  for await (const _ of steps);
  return true;
}

async function readStyles(readPart: ReadPart, part: string): Promise<readonly NumberKind[]> {
  const codes = new Map<number, string>();
  const kinds: NumberKind[] = [];
  let isCell = false;
  const steps = readPart(part, {
    open: (name, attributes) => {
      if (name === "numFmt") {
        const { numFmtId, formatCode = "" } = attributes();
        codes.set(Number(numFmtId), decoded(formatCode));
      }
      if (name === "cellXfs") isCell = true;
      if (name === "xf" && isCell) {
        const id = Number(attributes()["numFmtId"] ?? 0);
        kinds.push(kindOf(id, codes.get(id)));
        if (kinds.length > mostStyles) throw tooLarge();
      }
    },
    close: (name) => {
      if (name === "cellXfs") isCell = false;
    },
  });
  if (steps !== undefined) for await (const _ of steps);
  return kinds;
}

/** Returns what numbers of a format are, by its code or, of those that need none, by its number (ECMA-376, 18.8.30). */
function kindOf(id: number, code: string | undefined): NumberKind {
  if (code === undefined) {
    if ((id >= 14 && id <= 17) || id === 22 || (id >= 27 && id <= 31) || (id >= 34 && id <= 36)) return "date";
    if (id >= 50 && id <= 58) return "date";
    if (id === 46) return "duration";
    return (id >= 18 && id <= 21) || (id >= 32 && id <= 33) || (id >= 45 && id <= 47) ? "time" : "number";
  }
  const unquoted = code.replace(/"[^"]*"|\\.|_.|\*.|General/gi, "");
  if (/\[(?:h+|m+|s+)\]/i.test(unquoted)) return "duration";
  const letters = unquoted.replace(/\[[^\]]*\]/g, "");
  if (/[yd]/i.test(letters) || (/m/i.test(letters) && !/[hs]/i.test(letters))) return "date";
  return /[hs]/i.test(letters) ? "time" : "number";
}

async function readStrings(readPart: ReadPart, part: string): Promise<readonly string[]> {
  const strings: string[] = [];
  let text: string | undefined;
  let phonetic = false;
  let isText = false;
  let size = 0;
  const steps = readPart(part, {
    open: (name) => {
      if (name === "si") {
        text = "";
        size += 8;
        if (size > mostShared) throw tooLarge();
      }
      if (name === "rPh") phonetic = true;
      isText = name === "t" && !phonetic;
    },
    text: (more) => {
      if (!isText || text === undefined) return;
      text += more;
      size += more.length;
      if (size > mostShared) throw tooLarge();
    },
    close: (name) => {
      if (name === "rPh") phonetic = false;
      if (name === "t") isText = false;
      if (name === "si") strings.push(plain(text ?? ""));
    },
  });
  if (steps !== undefined) for await (const _ of steps);
  return strings;
}

async function* readSheet(
  readPart: ReadPart,
  part: string,
  strings: readonly string[],
  styles: Styles,
  hidden: { rows: number },
): AsyncGenerator<readonly TableRecord[]> {
  const records: TableRecord[] = [];
  let line = 0;
  let cells: string[] = [];
  let faults: Map<number, string> | undefined;
  let size = 0;
  let column = -1;
  let isHidden = false;
  let cell: { index: number; type: string; kind: NumberKind; isFormula: boolean; hasValue: boolean } | undefined;
  let text = "";
  let isText = false;
  let isPhonetic = false;
  const steps = readPart(part, {
    open: (name, attributes) => {
      if (name === "row") {
        const found = attributes();
        line = found["r"] === undefined ? line + 1 : Number(found["r"]);
        if (!(line >= 1 && line <= mostRows)) throw new Error(`it has a row ${line}`);
        [cells, faults, size, column] = [[], undefined, 0, -1];
        isHidden = isTrue(found["hidden"]);
      } else if (name === "c") {
        const { r, t = "n", s } = attributes();
        const index = r === undefined ? column + 1 : columnOf(r);
        column = index;
        if (index >= mostColumns) throw new Error(`it has a column ${r ?? index + 1}`);
        const kind = (s === undefined ? undefined : styles.kinds[Number(s)]) ?? "number";
        cell = { index, type: t, kind, isFormula: false, hasValue: false };
        text = "";
      } else if (name === "f") {
        if (cell !== undefined) cell.isFormula = true;
      } else if (name === "rPh") isPhonetic = true;
      else if ((name === "v" || name === "t") && !isPhonetic) isText = true;
    },
    text: (more) => {
      if (!isText || cell === undefined) return;
      cell.hasValue = true;
      text += more;
      size += more.length;
      if (size > maxRowBytes) throw new Error(`row ${line} has more than ${maxRowBytes / 1024} KiB of text`);
    },
    close: (name) => {
      if (name === "v" || name === "t") isText = false;
      else if (name === "rPh") isPhonetic = false;
      else if (name === "c" && cell !== undefined) {
        const value = valueOf(cell, text, strings, styles);
        if (value.text !== "" || value.fault !== undefined) {
          while (cells.length < cell.index) cells.push("");
          cells[cell.index] = value.text;
          if (value.fault !== undefined) (faults ??= new Map()).set(cell.index, value.fault);
        }
        cell = undefined;
      } else if (name === "row" && cells.length > 0) {
        records.push(faults === undefined ? { line, cells } : { line, cells, faults });
        if (isHidden) hidden.rows++;
      }
    },
  });
  if (steps === undefined) throw new Error(`it has no ${part}`);
  for await (const _ of steps) {
    if (records.length > 0) yield records.splice(0);
  }
}

function valueOf(
  { type, kind, isFormula, hasValue }: { type: string; kind: NumberKind; isFormula: boolean; hasValue: boolean },
  text: string,
  strings: readonly string[],
  { from1904, isStale }: Styles,
): { readonly text: string; readonly fault?: string } {
  if (!hasValue && (!isFormula || (type === "str" && !isStale))) return { text: "" };
  if (!hasValue || (isFormula && isStale)) {
    const lacks = hasValue ? "was not calculated" : "has no value";
    return { text: "", fault: `its formula ${lacks}: open the workbook in a spreadsheet, and save it` };
  }
  switch (type) {
    case "s": {
      const shared = strings[Number(text)];
      if (shared === undefined) throw new Error("a cell refers to a text that is not there");
      return { text: shared.trim() };
    }
    case "b":
      return { text: text === "1" ? "TRUE" : "FALSE" };
    case "e":
      return { text, fault: `it has the error ${text}` };
    case "inlineStr":
    case "str":
      return { text: plain(text).trim() };
    case "d":
      return { text: text.trim().replace(/T00:00:00(\.0+)?$/, "") };
    default: {
      const number = Number(text);
      if (text.trim() === "" || Number.isNaN(number)) return { text: text.trim() };
      if (kind !== "number") return { text: isoDate(number, kind, from1904) };
      const fault = numberFault(number);
      return fault === undefined ? { text: numberText(number) } : { text: numberText(number), fault };
    }
  }
}

/** Returns a day or time of a workbook in ISO 8601. Days count from 1900, which Excel takes for a leap year, or from 1904. */
function isoDate(number: number, kind: NumberKind, from1904: boolean): string {
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
