import { unguarded } from "./spreadsheet.ts";
import { looksLikeNumber } from "../number-cells.ts";
import { fieldKey } from "../../message/text.ts";
import type { Block } from "./lines.ts";
import { maxRowBytes } from "../row.ts";
import type { ListFacts } from "../source.ts";
import type { TableRecord } from "../table.ts";

/** The header, or what is above it, begins on line `from`. */
export async function* readCsv(
  blocks: AsyncIterable<Block>,
  delimiter: string,
  from: number,
  facts: ListFacts,
): AsyncGenerator<readonly TableRecord[]> {
  const contentOf = cellReader(facts);
  const isRow = ({ line, cells: [first = "", ...others] }: TableRecord) =>
    line >= from && !(delimiter === "|" && others.length === 0 && isFooter(first));
  for await (const records of recordsIn(blocks, delimiter))
    yield records.filter(isRow).map((record) => ({ ...record, cells: contentOf(record.cells) }));
}

function isFooter(text: string): boolean {
  return /^\(\d+ \p{L}+\)\s*$/u.test(text);
}

/** Files of the program itself lose their guard against formulas here. */
function cellReader(facts: ListFacts): (cells: readonly string[]) => readonly string[] {
  const contentOf = (cell: string): string => {
    const text = cell.trim();
    const inner = text.startsWith('="') ? /^="([^"]*)"$/.exec(text)?.[1] : undefined;
    if (inner === undefined) return text;
    facts.formulaTexts++;
    return inner.trim();
  };
  let reader: typeof contentOf | undefined;
  return (cells) => {
    if (reader === undefined && cells.some((cell) => cell.trim() !== "")) {
      // Columns of the list that have our names go before ours.
      const names = cells.map((name) => fieldKey(name).replace(/^(?:sms_)+/, ""));
      const isExport = ["outcome", "errorcode"].every((name) => names.includes(name));
      // People correct cells of cleaned files.
      const correctedOf = (cell: string) => contentOf(unguarded(cell));
      reader = isExport ? unguarded : isCleaned(cells) ? correctedOf : contentOf;
    }
    return cells.map(reader ?? contentOf);
  };
}

function isCleaned([first, second]: readonly string[]): boolean {
  return (first === "to" && second === "line") || (first === "line" && second === "reason");
}

async function* recordsIn(blocks: AsyncIterable<Block>, delimiter: string): AsyncGenerator<readonly TableRecord[]> {
  let rest = "";
  let line = 1;
  for await (const block of blocks) {
    if (rest === "") line = block.line;
    const split = splitRecords(rest + block.bytes.toString(), line, delimiter, false);
    ({ rest, line } = split);
    yield split.records;
  }
  yield splitRecords(rest, line, delimiter, true).records;
}

function splitRecords(text: string, firstLine: number, delimiter: string, isEnd: boolean) {
  const records: TableRecord[] = [];
  let line = firstLine;
  let at = 0;
  let quote = text.indexOf('"');
  while (at < text.length) {
    const end = endOfLine(text, at);
    if (quote >= 0 && quote < at) quote = text.indexOf('"', at);
    const hasQuote = quote >= 0 && quote < end;
    const record = hasQuote
      ? quotedRecord(text, at, delimiter)
      : { cells: withoutReturn(text.slice(at, end)).split(delimiter), end };
    if (record === "open" && !isEnd && text.length - at <= maxRowBytes) break;
    const isStray = typeof record === "string" || record.end - at > maxRowBytes || hidesRow(record.cells, delimiter);
    const cells = isStray ? [withoutReturn(text.slice(at, end))] : record.cells;
    records.push({ line, cells, fault: isStray ? strayQuote : undefined });
    const last = isStray ? end : record.end;
    line += last === end ? 1 : text.slice(at, last).split("\n").length;
    at = last + 1;
  }
  return { records, rest: text.slice(at), line };
}

const strayQuote = 'it has a stray "';

/** A record is "open" if its last quote is not closed, and "broken" if something stands next to a quote. */
function quotedRecord(
  text: string,
  start: number,
  delimiter: string,
): { readonly cells: readonly string[]; readonly end: number } | "open" | "broken" {
  const cells: string[] = [];
  for (let at = start; ;) {
    const first = afterSpaces(text, at);
    const isFormula = text.startsWith('="', first);
    let end = endOfLine(text, at);
    if (isFormula || text[first] === '"') {
      const open = isFormula ? first + 1 : first;
      const close = closingQuote(text, open);
      if (close < 0) return "open";
      const content = text.slice(open + 1, close);
      cells.push(isFormula ? text.slice(first, close + 1) : content.replaceAll('""', '"'));
      end = afterSpaces(text, close + 1);
      if (text[end] === "\r") end++;
      if (end < text.length && text[end] !== "\n" && text[end] !== delimiter) return "broken";
    } else {
      const next = text.indexOf(delimiter, at);
      if (next >= 0 && next < end) end = next;
      const cell = text.slice(at, end);
      if (cell.includes('"')) return "broken";
      cells.push(withoutReturn(cell));
    }
    if (text[end] !== delimiter) return { cells, end };
    at = end + 1;
  }
}

/** If a line of a cell is somebody's row, then quotes of other rows are around the cell. */
function hidesRow(cells: readonly string[], delimiter: string): boolean {
  return cells.some(
    (cell) =>
      cell.includes("\n") &&
      cell.split("\n").some((line) => {
        const inner = line.split(delimiter);
        return inner.length > 1 && inner.length === cells.length && inner.some((part) => looksLikeNumber(part.trim()));
      }),
  );
}

function closingQuote(text: string, open: number): number {
  let close = text.indexOf('"', open + 1);
  while (close >= 0 && text[close + 1] === '"') close = text.indexOf('"', close + 2);
  return close;
}

function afterSpaces(text: string, start: number): number {
  let at = start;
  while (text[at] === " ") at++;
  return at;
}

function endOfLine(text: string, start: number): number {
  const end = text.indexOf("\n", start);
  return end < 0 ? text.length : end;
}

function withoutReturn(line: string): string {
  return line.endsWith("\r") ? line.slice(0, -1) : line;
}
