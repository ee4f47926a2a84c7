import { fieldKey } from "../core/template.ts";
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
