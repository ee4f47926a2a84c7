import { type SmsError, usageError } from "../errors.ts";

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
