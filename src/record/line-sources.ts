import { constants, readSync } from "node:fs";
import { closeQuietly, withPath } from "../files/open-file.ts";
import { openOwnFile } from "../files/state-folder.ts";

/** Lines in ASCII that are read by their places. */
export interface LineSource {
  /** Reads the text of that many characters. */
  readonly read: (offset: number, length: number) => string;
  readonly close: () => void;
}

/** Bytes read or reserved at once. */
const windowSize = 64 * 1024;

/** Reads lines of a file, from its end to its start in few reads. Opens it at the first. */
export function fileLines(path: string): LineSource {
  let file: number | undefined;
  let window = Buffer.alloc(0);
  let start = 0;
  return {
    read: (offset, length) => {
      file ??= openOwnFile(path, constants.O_RDONLY);
      const isRead = offset >= start && offset + length <= start + window.length;
      if (!isRead) {
        start = Math.max(0, offset + length - windowSize);
        const bytes = Buffer.allocUnsafe(Math.max(windowSize, offset + length - start));
        window = bytes.subarray(0, readAt(file, bytes, start, path));
      }
      return window.toString("latin1", offset - start, offset - start + length);
    },
    close: () => {
      if (file !== undefined) closeQuietly(file);
    },
  };
}

function readAt(file: number, bytes: Uint8Array, start: number, path: string): number {
  try {
    return readSync(file, bytes, 0, bytes.length, start);
  } catch (error) {
    throw withPath(error, path);
  }
}

/** Holds lines as bytes, which take less memory than texts or objects. `add` returns the place of a line and its length. */
export function memoryLines(): LineSource & { readonly add: (text: string) => readonly [number, number] } {
  const windows: Buffer[] = [];
  let used = windowSize;
  return {
    add: (text) => {
      const { length } = text;
      if (used + length > windowSize) {
        windows.push(Buffer.allocUnsafe(Math.max(windowSize, length)));
        used = 0;
      }
      windows.at(-1)?.write(text, used, "latin1");
      used += length;
      return [(windows.length - 1) * windowSize + used - length, length];
    },
    read: (offset, length) => {
      const start = offset % windowSize;
      return windows[Math.floor(offset / windowSize)]?.toString("latin1", start, start + length) ?? "";
    },
    close: () => {},
  };
}
