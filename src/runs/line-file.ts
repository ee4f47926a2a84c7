import { closeSync, constants, read } from "node:fs";
import { promisify } from "node:util";
import { openOwnFile } from "../files/state-folder.ts";

const readChunk = promisify(read);

/** A whole line of a file, without its line end. */
export interface FileLine {
  readonly text: string;
  /** The position of its first byte in the file. */
  readonly offset: number;
  /** The position of the next line. */
  readonly end: number;
}

/** Bytes read at once. */
const chunkSize = 256 * 1024;

/** Receives the number of bytes that were read from a file, piece by piece. */
export type OnRead = (bytes: number) => void;

/** Yields the lines of a file that end in LF, some at a time, in bounded memory. A last line without an end is left out. */
export async function* readWholeLines(path: string, onRead?: OnRead): AsyncGenerator<readonly FileLine[], void> {
  const file = openOwnFile(path, constants.O_RDONLY);
  try {
    let unread: Buffer = Buffer.alloc(0);
    let offset = 0;
    for (;;) {
      const { bytesRead, buffer } = await readChunk(file, Buffer.allocUnsafe(chunkSize), 0, chunkSize, null);
      if (bytesRead === 0) return;
      onRead?.(bytesRead);
      const chunk = buffer.subarray(0, bytesRead);
      const bytes = unread.length === 0 ? chunk : Buffer.concat([unread, chunk]);
      const lines: FileLine[] = [];
      let start = 0;
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, start)) {
        const end = offset + at + 1;
        lines.push({ text: bytes.toString("utf8", start, at), offset: offset + start, end });
        start = at + 1;
      }
      offset += start;
      unread = bytes.subarray(start);
      if (lines.length > 0) yield lines;
    }
  } finally {
    closeSync(file);
  }
}
