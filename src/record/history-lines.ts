import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { openOwnFile } from "../files/state-folder.ts";
import { type FileLine, readWholeLines } from "../runs/line-file.ts";

/** The most bytes that are taken for a last line without an end: no entry is longer. */
const longestLine = 1024 * 1024;

/** Yields the lines of a file of the history that are not blank, some at a time, and a last line without an end. */
export async function* readHistoryLines(path: string): AsyncGenerator<readonly FileLine[], void> {
  let end = 0;
  for await (const lines of readWholeLines(path)) {
    end = lines.at(-1)?.end ?? end;
    yield lines.filter(({ text }) => text.trim() !== "");
  }
  const file = openOwnFile(path, constants.O_RDONLY);
  try {
    const rest = Buffer.alloc(Math.min(longestLine, Math.max(0, fstatSync(file).size - end)));
    const text = rest.toString("utf8", 0, readSync(file, rest, 0, rest.length, end));
    // As if it had its end.
    if (text.trim() !== "") yield [{ text, offset: end, end: end + rest.length + 1 }];
  } finally {
    closeSync(file);
  }
}

/** Returns the time of a line, in milliseconds since 1970; undefined if it is not a whole entry. */
export function timeOf(text: string): number | undefined {
  if (!text.startsWith('{"at":"') || !text.endsWith("}")) return undefined;
  const at = Date.parse(text.slice(7, 31));
  return Number.isNaN(at) ? undefined : at;
}
