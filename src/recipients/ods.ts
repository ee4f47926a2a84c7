import { maxRowBytes } from "./row.ts";
import type { TableRecord } from "./table.ts";
import {
  allOf,
  clock,
  decoded,
  type Element,
  elementsIn,
  mostColumns,
  mostRows,
  numberValue,
  type ReadPart,
  type Sheet,
  type Value,
} from "./sheet.ts";

/** Yields the sheets of an OpenDocument spreadsheet (ISO/IEC 26300). All are in one file, one after the other. */
export async function* readOds(readPart: ReadPart, protectedFile: () => Error): AsyncGenerator<Sheet> {
  const encrypted = await allOf(readPart("META-INF/manifest.xml", ["encryption-data"]));
  if (encrypted.length > 0) throw protectedFile();
  const batches = readPart("content.xml", ["style", "table-row"], ["table"]);
  const hiddenStyles = new Set<string>();
  let unread: readonly Element[] = [];
  const readMore = async () => {
    const next = await batches?.next();
    unread = next?.value ?? [];
    for (const element of unread.filter(isHiding)) hiddenStyles.add(element.attributes["style:name"] ?? "");
    return next?.done === false;
  };
  const readUntilTable = () => {
    const end = unread.findIndex(({ name }) => name === "table");
    const passed = end < 0 ? unread : unread.slice(0, end);
    unread = unread.slice(passed.length);
    return passed;
  };
  async function* recordsOfTable(hidden: { rows: number }): AsyncGenerator<readonly TableRecord[]> {
    let line = 0;
    do {
      const records: TableRecord[] = [];
      for (const row of readUntilTable()) {
        const { "table:number-rows-repeated": repeated, "table:visibility": visibility = "visible" } = row.attributes;
        const { cells, faults } = cellsOf(row, line + 1);
        const times = repeats(repeated);
        if (cells.length > 0 && line + times > mostRows) throw new Error(`it has more than ${mostRows} rows`);
        for (let count = 1; cells.length > 0 && count <= times; count++) {
          records.push({ line: line + count, cells, ...(faults.size > 0 && { faults }) });
          if (visibility !== "visible") hidden.rows++;
        }
        line += times;
      }
      yield records;
    } while (unread.length === 0 && (await readMore()));
  }
  while (await readMore()) {
    readUntilTable();
    while (unread[0] !== undefined) {
      const { "table:name": name = "", "table:style-name": style = "" } = unread[0].attributes;
      unread = unread.slice(1);
      const hidden = { rows: 0 };
      const records = recordsOfTable(hidden);
      yield { name: decoded(name), isHidden: hiddenStyles.has(style), records, hiddenRows: () => hidden.rows };
      readUntilTable();
    }
  }
}

/** Whether an element is a style of sheets that are not shown. */
function isHiding(element: Element): boolean {
  return elementsIn(element).some(
    ({ name, attributes }) => name === "table-properties" && attributes["table:display"] === "false",
  );
}

function cellsOf(row: Element, line: number) {
  const cells: string[] = [];
  const faults = new Map<number, string>();
  let column = 0;
  let size = 0;
  for (const cell of elementsIn(row)) {
    const times = repeats(cell.attributes["table:number-columns-repeated"]);
    const { text, fault } = valueOf(cell);
    const next = column + times;
    if (text !== "" || fault !== undefined) {
      size += text.length * times;
      if (next > mostColumns) throw new Error(`row ${line} has more than ${mostColumns} columns`);
      if (size > maxRowBytes) throw new Error(`row ${line} has more than ${maxRowBytes / 1024} KiB of text`);
      while (cells.length < column) cells.push("");
      for (let index = column; index < next; index++) {
        cells.push(text);
        if (fault !== undefined) faults.set(index, fault);
      }
    }
    column = next;
  }
  return { cells, faults };
}

function repeats(text: string | undefined): number {
  const times = Number(text ?? 1);
  return Number.isInteger(times) && times >= 1 ? times : 1;
}

function textOf({ name, attributes, content }: Element): string {
  if (name === "s") return " ".repeat(Math.min(1000, repeats(attributes["text:c"])));
  if (name === "tab") return "\t";
  if (name === "line-break") return "\n";
  return content.map((item) => (typeof item === "string" ? item : textOf(item))).join("");
}

function valueOf(cell: Element): Value {
  const { attributes } = cell;
  const paragraphs = elementsIn(cell).filter(({ name }) => name === "p");
  const shown = paragraphs.map(textOf).join("\n");
  const type = attributes["office:value-type"] ?? attributes["calcext:value-type"];
  if (attributes["calcext:value-type"] === "error") return { text: shown, fault: `it has the error ${shown}` };
  switch (type) {
    case "float":
    case "currency":
    case "percentage": {
      // As older programs write an error: the value is 0.
      if (/^(?:#|Err:)/.test(shown)) return { text: shown, fault: `it has the error ${shown}` };
      const number = Number(attributes["office:value"]);
      return Number.isNaN(number) ? { text: shown.trim() } : numberValue(number);
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
