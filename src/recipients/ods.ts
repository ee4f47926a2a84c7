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

type Attributes = Readonly<Record<string, string>>;

type Item =
  | { readonly kind: "sheet"; readonly name: string; readonly isHidden: boolean }
  | { readonly kind: "records"; readonly records: readonly TableRecord[]; readonly hidden: number };

/** Yields the sheets of an OpenDocument spreadsheet (ISO/IEC 26300). All are in one file, one after the other. */
export async function* readOds(readPart: ReadPart, protectedFile: () => Error): AsyncGenerator<Sheet> {
  let isProtected = false;
  const manifest = readPart("META-INF/manifest.xml", {
    open: (name) => {
      if (name === "encryption-data") isProtected = true;
    },
    close: () => {},
  });
  if (manifest !== undefined) for await (const _ of manifest);
  if (isProtected) throw protectedFile();
  const items = readItems(readPart);
  let next = await items.next();
  while (next.done !== true) {
    const item = next.value;
    if (item.kind !== "sheet") {
      next = await items.next();
      continue;
    }
    let hidden = 0;
    const more = async () => {
      next = await items.next();
      return next.done === true || next.value.kind === "sheet" ? undefined : next.value;
    };
    async function* records() {
      for (let found = await more(); found !== undefined; found = await more()) {
        hidden += found.hidden;
        yield found.records;
      }
    }
    const { name, isHidden } = item;
    yield { name, isHidden, records: records(), hiddenRows: () => hidden };
    while (next.done !== true && (next.value === item || next.value.kind !== "sheet")) next = await items.next();
  }
}

async function* readItems(readPart: ReadPart): AsyncGenerator<Item> {
  const items: Item[] = [];
  const hiddenStyles = new Set<string>();
  let style = "";
  let records: TableRecord[] = [];
  let hidden = 0;
  let line = 0;
  let row:
    | { attributes: Attributes; cells: string[]; faults: Map<number, string>; column: number; size: number }
    | undefined;
  let cell: { attributes: Attributes; paragraphs: string[] } | undefined;
  let aside = 0;
  let isText = false;
  const flush = () => {
    if (records.length > 0) items.push({ kind: "records", records, hidden });
    [records, hidden] = [[], 0];
  };
  const endCell = () => {
    if (row === undefined || cell === undefined) return;
    const { attributes, paragraphs } = cell;
    const times = repeats(attributes["table:number-columns-repeated"]);
    const { text, fault } = valueOf(attributes, paragraphs.join("\n"));
    if (text !== "" || fault !== undefined) {
      row.size += text.length * times;
      if (row.column + times > mostColumns) throw new Error(`row ${line + 1} has more than ${mostColumns} columns`);
      if (row.size > maxRowBytes) throw new Error(`row ${line + 1} has more than ${maxRowBytes / 1024} KiB of text`);
      while (row.cells.length < row.column) row.cells.push("");
      for (let index = row.column; index < row.column + times; index++) {
        row.cells.push(text);
        if (fault !== undefined) row.faults.set(index, fault);
      }
    }
    row.column += times;
    cell = undefined;
  };
  const endRow = () => {
    if (row === undefined) return;
    const { attributes, cells, faults } = row;
    const times = repeats(attributes["table:number-rows-repeated"]);
    if (cells.length > 0 && line + times > mostRows) throw new Error(`it has more than ${mostRows} rows`);
    for (let count = 1; cells.length > 0 && count <= times; count++) {
      records.push({ line: line + count, cells, ...(faults.size > 0 && { faults }) });
      if (attributes["table:visibility"] !== undefined && attributes["table:visibility"] !== "visible") hidden++;
    }
    line += times;
    row = undefined;
  };
  const steps = readPart("content.xml", {
    open: (name, attributes) => {
      if (aside > 0 || name === "annotation" || name === "shapes") aside++;
      else if (name === "style") style = attributes()["style:name"] ?? "";
      else if (name === "table-properties") {
        if (attributes()["table:display"] === "false") hiddenStyles.add(style);
      } else if (name === "table") {
        flush();
        const { "table:name": title = "", "table:style-name": ofTable = "" } = attributes();
        items.push({ kind: "sheet", name: decoded(title), isHidden: hiddenStyles.has(ofTable) });
        line = 0;
      } else if (name === "table-row")
        row = { attributes: attributes(), cells: [], faults: new Map(), column: 0, size: 0 };
      else if (name === "table-cell" || name === "covered-table-cell")
        cell = { attributes: attributes(), paragraphs: [] };
      else if (cell !== undefined && name === "p") {
        cell.paragraphs.push("");
        if (cell.paragraphs.length > maxRowBytes) throw tooLarge();
        isText = true;
      } else if (isText && name === "s") add(" ".repeat(Math.min(1000, repeats(attributes()["text:c"]))));
      else if (isText && name === "tab") add("\t");
      else if (isText && name === "line-break") add("\n");
    },
    text: (text) => {
      if (isText && aside === 0) add(text);
    },
    close: (name) => {
      if (aside > 0) aside--;
      else if (name === "p") isText = false;
      else if (name === "table-cell" || name === "covered-table-cell") endCell();
      else if (name === "table-row") endRow();
    },
  });
  function add(text: string): void {
    const last = (cell?.paragraphs.length ?? 0) - 1;
    if (cell !== undefined && last >= 0) cell.paragraphs[last] += text;
    if ((cell?.paragraphs[last]?.length ?? 0) > maxRowBytes) throw new Error(`row ${line + 1} has too long a text`);
  }
  if (steps === undefined) return;
  for await (const _ of steps) {
    flush();
    yield* items.splice(0);
  }
}

function repeats(text: string | undefined): number {
  const times = Number(text ?? 1);
  return Number.isInteger(times) && times >= 1 ? times : 1;
}

function valueOf(attributes: Attributes, shown: string): { readonly text: string; readonly fault?: string } {
  const type = attributes["office:value-type"] ?? attributes["calcext:value-type"];
  if (attributes["calcext:value-type"] === "error") return { text: shown, fault: `it has the error ${shown}` };
  switch (type) {
    case "float":
    case "currency":
    case "percentage": {
      // As older programs write an error: the value is 0.
      if (/^(?:#|Err:)/.test(shown)) return { text: shown, fault: `it has the error ${shown}` };
      const number = Number(attributes["office:value"]);
      if (Number.isNaN(number)) return { text: shown.trim() };
      const fault = numberFault(number);
      return fault === undefined ? { text: numberText(number) } : { text: numberText(number), fault };
    }
    case "date":
      return { text: (attributes["office:date-value"] ?? shown).replace(/T00:00:00(\.0+)?$/, "") };
    case "time": {
      const value = attributes["office:time-value"] ?? shown;
      const [, hours, minutes, seconds] = /^PT(\d+)H(\d+)M(\d+)(?:[.,]\d+)?S$/.exec(value) ?? [];
      return {
        text: hours === undefined ? value : clock(Number(hours) * 3600 + Number(minutes) * 60 + Number(seconds)),
      };
    }
    case "boolean":
      return { text: (attributes["office:boolean-value"] ?? shown).toUpperCase() };
    case "string":
      return { text: decoded(attributes["office:string-value"] ?? shown).trim() };
    default:
      if (attributes["table:formula"] === undefined || shown !== "") return { text: shown.trim() };
      return { text: "", fault: "its formula has no value: open the workbook in a spreadsheet, and save it" };
  }
}
