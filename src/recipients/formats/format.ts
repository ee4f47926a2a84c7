import { type SmsError, usageError } from "../../errors.ts";
import { isNumberHeader } from "../header-words.ts";
import type { Format } from "../row.ts";

const formats: readonly (readonly [ending: RegExp, Format])[] = [
  [/\.[ct]sv$/i, "csv"],
  [/\.(?:txt|vcf)$/i, "plain"],
  [/\.(?:ndjson|jsonl)$/i, "ndjson"],
];

/** If lines have equally many of two delimiters, the first of these is preferred. */
const delimiters = ["\t", ";", ",", "|"] as const;

export function guessFormat(name: string, lines: readonly string[], hasColumns: boolean): Format | "cards" {
  const [first = ""] = lines;
  if (/^BEGIN:VCARD\s*$/i.test(first.trim())) return "cards";
  const format = formats.find(([ending]) => ending.test(name))?.[1];
  const isHeader = !/\d{5}/.test(first) && first.trim().split(/\s+/).length < 5 && isNumberHeader(first);
  const isTableOfText = format === "plain" && (/\t|\|/.test(first.trim()) || isHeader);
  if (format !== undefined && !isTableOfText) return format;
  if (first.trimStart().startsWith("{")) return "ndjson";
  // These are contacts of a phone, found by grep.
  if (/^(?:\w+\.)?TEL[;:]/i.test(first.trim())) return "plain";
  if (hasColumns || isHeader) return "csv";
  const entries = lines.filter((line) => !line.trimStart().startsWith("#"));
  const isTable = (line: string) => delimiters.some((delimiter) => line.trim().includes(delimiter));
  if (entries[0] === first && isTable(first)) return "csv";
  return entries.filter(isTable).length * 2 > entries.length ? "csv" : "plain";
}

/** Delimiters within quotes do not count. */
export function delimiterOf(lines: readonly string[]): string {
  const bare = lines.join("\n").replace(/"[^"]*"?/g, "");
  const counts = delimiters.map((delimiter) => ({
    delimiter,
    lines: bare.split("\n").filter((line) => line.includes(delimiter)).length,
    count: bare.split(delimiter).length,
  }));
  const [most] = counts.toSorted((a, b) => b.lines - a.lines || b.count - a.count);
  return most === undefined || most.count === 1 ? "," : most.delimiter;
}

/** Excel's CSV loses digits of numbers, so that no hint names it. */
export const spreadsheet = "open it in a spreadsheet, save it as .xlsx (in Excel: File, Save As), and give that file";

const beginnings = [
  [/^\x1F\x8B/, "compressed with gzip", "unpack it with gunzip, and give what was in it"],
  [/^%PDF/, "a PDF", "ask for the spreadsheet that it was made from, and give that as .xlsx"],
  [/^\{\\rtf/, "a document", "copy its table into a spreadsheet, and save that as .xlsx"],
] as const;

/** Throws for a file that no reader of text may see. */
export function refuseOtherFile(name: string, start: string): void {
  for (const [beginning, kind, hint] of beginnings) if (beginning.test(start)) throw notAList(name, kind, hint);
}

export function refuseOtherText(name: string, lines: readonly string[]): void {
  const [first = ""] = lines.map((line) => line.trim());
  const isPage = /^<(?:!doctype html|html|head|meta|style|table|div)/i.test(first);
  if (first.startsWith("<")) {
    const isWorkbook = /\.xls$/i.test(name);
    throw notAList(name, isPage ? `an HTML page${isWorkbook ? ", though it is named .xls" : ""}` : "XML", spreadsheet);
  }
  if (/^\[\s*($|[{"\]]|\+?\d+\s*,)/.test(first))
    throw notAList(name, "a JSON array", "give one object a line, as jq -c '.[]' writes them");
  if (isDrawn(lines)) {
    const hint = "export it for programs instead, as `psql --csv` or `mysql --batch` do";
    throw notAList(name, "a table that was drawn for people", hint);
  }
}

/** kubectl puts only spaces between its columns. */
function isDrawn(lines: readonly string[]): boolean {
  const [header = ""] = lines;
  if (/[|\u2502]/.test(header) || /^[+\u250C]/u.test(header))
    return lines.some((line) => /^[\s|+:=\u2500-\u257F-]*[-=\u2500-\u257F]{3}[\s|+:=\u2500-\u257F-]*$/u.test(line));
  const starts = Array.from(header.matchAll(/(?<= {2})\S/g), ({ index }) => index);
  const begin = (line: string) => starts.every((at) => /^ \S/.test(line.slice(at - 1)));
  return starts.length > 0 && !/[,;\t]|\d{5}/.test(header) && lines.length > 1 && lines.every(begin);
}

export function notAList(name: string, kind: string, hint: string): SmsError {
  return usageError("INVALID_RECIPIENTS", `${name} is ${kind}`, hint);
}
