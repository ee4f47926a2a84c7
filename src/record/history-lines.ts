import { closeSync, constants, readSync } from "node:fs";
import { openOwnFile } from "../files/state-folder.ts";
import { unusable } from "../runs/run-files.ts";

/** The place of a line in its file: its first byte, and its length without its line end. Bytes. */
export interface LinePlace {
  readonly offset: number;
  readonly length: number;
}

/** Bytes read at once. A longer line is left out: no entry is as long. */
const windowSize = 256 * 1024;

/**
 * Calls `onLine` with each line of a file of the history that is not blank, a last one without an end included. It reads into
 * one window, because a history may be many times larger than what a command should hold.
 */
export function readHistoryLines(path: string, onLine: (text: string, place: LinePlace) => void): void {
  const file = openHistoryFile(path, constants.O_RDONLY);
  try {
    const window = Buffer.allocUnsafe(windowSize);
    /** The bytes of the window that are read, and where in the file its first byte is. */
    let filled = 0;
    let offset = 0;
    const tell = (start: number, end: number) => {
      // Entries are ASCII, which takes half the memory of other texts.
      const text = window.toString("latin1", start, end);
      if (text.trim() !== "") onLine(text, { offset: offset + start, length: end - start });
    };
    for (;;) {
      const read = readSync(file, window, filled, windowSize - filled, null);
      filled += read;
      let start = 0;
      for (let at = window.indexOf(10); at >= 0 && at < filled; at = window.indexOf(10, start)) {
        tell(start, at);
        start = at + 1;
      }
      if (read === 0) return tell(start, filled);
      if (start === 0 && filled === windowSize) start = filled;
      window.copyWithin(0, start, filled);
      offset += start;
      filled -= start;
    }
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

/** Opens an existing file of the history with these flags of open(2). Throws a usage error `UNUSABLE_FILE` or `INSECURE_STATE`. */
export function openHistoryFile(path: string, flags: number): number {
  try {
    return openOwnFile(path, flags);
  } catch (error) {
    throw unusable(error);
  }
}
