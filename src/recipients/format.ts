import { fieldKey } from "../core/template.ts";
import { numberColumns } from "./columns.ts";
import type { Format } from "./row.ts";

/** The formats that a file's name tells. */
const extensions: Readonly<Record<string, Format>> = {
  csv: "csv",
  tsv: "csv",
  txt: "plain",
  ndjson: "ndjson",
  jsonl: "ndjson",
};

/** What may separate values, the likeliest first where a header holds as many of one as of another. */
const delimiters = ["\t", ";", ","] as const;

/**
 * Guesses a format from the file's name, else from the first line that is not blank: an object is NDJSON; separated
 * values, or the name of a column of numbers by itself, are a header, as is anything where there must be columns; anything
 * else is a number.
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

/** The delimiter of separated values: the one that stands most often in the header, outside quotes. */
export function delimiterOf(header: string): string {
  const bare = header.replace(/"[^"]*"?/g, "");
  const counts = delimiters.map((delimiter) => ({ delimiter, count: bare.split(delimiter).length }));
  const { delimiter, count } = counts.reduce((most, next) => (next.count > most.count ? next : most));
  return count === 1 ? "," : delimiter;
}

function unquoted(text: string): string {
  return text.trim().replace(/^"(.*)"$/, "$1");
}
