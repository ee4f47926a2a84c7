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

export function guessFormat(name: string, lines: readonly string[], hasColumns: boolean): Format {
  const [first = ""] = lines;
  const format = formats.find(([ending]) => ending.test(name))?.[1];
  if (format !== undefined && !(format === "plain" && /\t|\|/.test(first.trim()))) return format;
  if (first.trimStart().startsWith("{")) return "ndjson";
  // These are contacts of a phone, whole or found by grep.
  if (/^(?:BEGIN:VCARD|(?:\w+\.)?TEL[;:])/i.test(first.trim())) return "plain";
  const isHeader = !/\d{5}/.test(first) && first.trim().split(/\s+/).length < 5 && isNumberHeader(first);
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

export const spreadsheet = "save it as CSV UTF-8 (in Excel: File, Save As), and give that file";

export function refuseOtherText(name: string, lines: readonly string[]): void {
  const [first = ""] = lines.map((line) => line.trim());
  if (first.startsWith("<")) throw notAList(name, "HTML or XML", spreadsheet);
  if (/^\[\s*($|[{"\]]|\+?\d+\s*,)/.test(first))
    throw notAList(name, "a JSON array", "give one object a line, as jq -c '.[]' writes them");
  if (isDrawn(lines)) {
    const hint = "export it for programs instead, as `psql --csv` or `mysql --batch` do";
    throw notAList(name, "a table that was drawn for people", hint);
  }
}

/** kubectl draws a header with spaces between its columns. */
function isDrawn(lines: readonly string[]): boolean {
  const [header = ""] = lines;
  if (/[|\u2502]/.test(header) || /^[+\u250C]/u.test(header))
    return lines.some((line) => /^[\s|+:=\u2500-\u257F-]*[-=\u2500-\u257F]{3}[\s|+:=\u2500-\u257F-]*$/u.test(line));
  const names = header.trim().split(/\s{2,}/);
  return names.length > 1 && !/[,;\t]|\d{5}/.test(header) && names.some(isNumberHeader);
}

export function notAList(name: string, kind: string, hint: string): SmsError {
  return usageError("INVALID_RECIPIENTS", `${name} is ${kind}`, hint);
}
