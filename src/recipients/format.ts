import { fieldKey } from "../message/text.ts";
import { type SmsError, usageError } from "../errors.ts";
import { numberColumns } from "./columns.ts";
import type { Format } from "./row.ts";

const extensions: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "csv",
  txt: "plain",
  ndjson: "ndjson",
  jsonl: "ndjson",
};

/** In order of preference when a header has equally many of two. */
const delimiters = ["\t", ";", ","] as const;

/** Guesses the format from the file name, else from the first line that is not blank. */
export function guessFormat(name: string, firstLine: string, hasColumns: boolean): Format {
  const extension = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  const format = Object.hasOwn(extensions, extension) ? extensions[extension] : undefined;
  if (format !== undefined) return format;
  if (firstLine.trimStart().startsWith("{")) return "ndjson";
  if (hasColumns || numberColumns.has(fieldKey(firstLine.trim().replace(/^"(.*)"$/, "$1")))) return "csv";
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

export function binaryFault(bytes: Buffer, name: string): SmsError | undefined {
  const start = bytes.toString("latin1", 0, 4);
  const found = binaries.find(([known]) => start.startsWith(known));
  if (found === undefined) return undefined;
  const isArchive = start.startsWith("PK") && /\.(zip|docx)$/i.test(name);
  return isArchive ? fault(name, "not a list of recipients", spreadsheet) : fault(name, found[1], found[2]);
}

/** Throws if the name or the first line is that of a workbook, JSON that is not NDJSON, or another file that people give. */
export function refuseOtherText(name: string, firstLine: string, format: Format | undefined): void {
  if (format === undefined && /\.(xls[xmb]?|ods|numbers)$/i.test(name)) {
    throw fault(name, "an Excel workbook by its name", `${spreadsheet}; if it is CSV already, add --format csv`);
  }
  const line = firstLine.trim();
  if (line.startsWith("<")) throw fault(name, "HTML or XML", spreadsheet);
  if (/^BEGIN:VCARD/i.test(line)) throw fault(name, "a file of contacts (vCard)", "export the contacts as CSV");
  const from = name === "standard input" ? "" : "FILE ";
  if (/^\[\s*($|[{"\]]|\+?\d+\s*,)/.test(line))
    throw fault(name, "a JSON array", `give one object a line, as in jq -c '.[]' ${from}> list.ndjson`);
  if (line === "{")
    throw fault(name, "JSON of several lines", "give one object a line, as in jq -c . FILE > list.ndjson");
}

function fault(name: string, kind: string, hint: string): SmsError {
  return usageError("INVALID_RECIPIENTS", `${name} is ${kind}`, hint);
}
