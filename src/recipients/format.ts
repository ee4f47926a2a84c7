import { fieldKey } from "../message/template.ts";
import { type SmsError, usageError } from "../errors.ts";
import { numberColumns } from "./columns.ts";
import type { Format } from "./row.ts";

/** Formats by file name extension. */
const extensions: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "csv",
  txt: "plain",
  ndjson: "ndjson",
  jsonl: "ndjson",
};

/** In order of preference when a header has equally many of two. */
const delimiters = ["\t", ";", ","] as const;

/**
 * Guesses the format from the file name, else from the first line that is not blank: `{` starts NDJSON; a delimiter or
 * the name of a column of numbers means CSV, and so does `hasColumns`; anything else is plain.
 */
export function guessFormat(name: string, firstLine: string, hasColumns: boolean): Format {
  const extension = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const format = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
  if (format !== undefined) return format;
  if (firstLine.trimStart().startsWith("{")) return "ndjson";
  if (hasColumns || numberColumns.has(fieldKey(unquoted(firstLine)))) return "csv";
  const isComment = firstLine.trimStart().startsWith("#");
  return !isComment && delimiters.some((delimiter) => firstLine.trim().includes(delimiter)) ? "csv" : "plain";
}

/** The delimiter that occurs most often outside quotes in a header. */
export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"?/g, "");
  const counts = delimiters.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }));
  const { delimiter, count } = counts.reduce((most, next) => (next.count > most.count ? next : most));
  return count === 1 ? "," : delimiter;
}

function unquoted(text: string): string {
  return text.trim().replace(/^"(.*)"$/, "$1");
}

/** What people give in place of a list: its first bytes, its name in a sentence, and what to do. */
const spreadsheet = "save it as CSV UTF-8 (in Excel: File, Save As), and give that file";
const utf16 = "convert it to UTF-8; in a spreadsheet, save it as CSV UTF-8";
const binaries: readonly (readonly [start: string, kind: string, hint: string])[] = [
  ["PK\u0003\u0004", "an Excel workbook", spreadsheet],
  ["\u00D0\u00CF\u0011\u00E0", "an Excel workbook", spreadsheet],
  ["\u00FF\u00FE", "UTF-16 text", utf16],
  ["\u00FE\u00FF", "UTF-16 text", utf16],
  ["\u001F\u008B", "compressed", "decompress it with gunzip, and give that file"],
  ["%PDF", "a PDF", "export its table as CSV, and give that file"],
];

/** Returns the error for a file that begins like one that is not UTF-8 text; undefined for any other. */
export function binaryFault(bytes: Buffer, name: string): SmsError | undefined {
  const start = bytes.toString("latin1", 0, 4);
  const found = binaries.find(([known]) => start.startsWith(known));
  if (found === undefined) return undefined;
  const isArchive = start.startsWith("PK") && /\.(zip|docx)$/i.test(name);
  return isArchive ? fault(name, "not a list of recipients", spreadsheet) : fault(name, found[1], found[2]);
}

/** Returns the error for a file that has the name of a workbook, although it begins like text. */
export function workbookFault(name: string): SmsError {
  return fault(name, "an Excel workbook by its name", `${spreadsheet}; if it is CSV already, add --format csv`);
}

/** Returns the error for text in a form that no recipients are read from; undefined if the first line may be of a list. */
export function textFault(firstLine: string, name: string): SmsError | undefined {
  const line = firstLine.trim();
  if (line.startsWith("<")) return fault(name, "HTML or XML", spreadsheet);
  if (/^BEGIN:VCARD/i.test(line)) return fault(name, "a file of contacts (vCard)", "export the contacts as CSV");
  const toLines = `give one object a line, as in jq -c '.[]' ${name === "standard input" ? "" : "FILE "}> list.ndjson`;
  if (/^\[\s*($|[{"\]]|\+?\d+\s*,)/.test(line)) return fault(name, "a JSON array", toLines);
  if (line === "{")
    return fault(name, "JSON of several lines", "give one object a line, as in jq -c . FILE > list.ndjson");
  return undefined;
}

function fault(name: string, kind: string, hint: string): SmsError {
  return usageError("INVALID_RECIPIENTS", `${name} is ${kind}`, hint);
}
