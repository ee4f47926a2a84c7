import { type FileLine, type OnRead, readWholeLines } from "./folder/line-file.ts";

/** Calls `onLine` with each line of a file of the history that is not blank, a last one without an end included. */
export async function readHistoryLines(path: string, onRead: OnRead, onLine: (line: FileLine) => void): Promise<void> {
  const pass = (line: FileLine) => {
    if (line.text.trim() !== "") onLine(line);
  };
  for await (const lines of readWholeLines(path, onRead, pass)) lines.forEach(pass);
}

/** Returns the time of a line, in milliseconds since 1970; undefined if it is not a whole entry. */
export function timeOf(text: string): number | undefined {
  if (!text.startsWith('{"at":"') || !text.endsWith("}")) return undefined;
  const at = Date.parse(text.slice(7, 31));
  return Number.isNaN(at) ? undefined : at;
}
