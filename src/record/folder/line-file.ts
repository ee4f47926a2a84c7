import { constants, read, statSync } from "node:fs";
import { promisify } from "node:util";
import { LineWindow } from "../../files/line-window.ts";
import { closeQuietly, withPath } from "../../files/open-file.ts";
import { openOwnFile } from "../../files/state-folder.ts";

const readBytes = promisify(read);

export interface FileLine {
  readonly text: string;
  /** The positions of its first byte, and behind its last. */
  readonly offset: number;
  readonly end: number;
}

/** Receives the number of bytes that were read from a file, piece by piece. */
export type OnRead = (bytes: number) => void;

/** Yields the lines of a file that end in LF, some at a time. `onRest` gets a last line without an end, if there is one. */
export async function* readWholeLines(
  path: string,
  onRead?: OnRead,
  onRest?: (line: FileLine) => void,
): AsyncGenerator<readonly FileLine[], void> {
  const file = openOwnFile(path, constants.O_RDONLY);
  try {
    const window = new LineWindow();
    let offset = 0;
    for (;;) {
      const room = window.room();
      const { bytesRead } = await readBytes(file, room, 0, room.length, null);
      if (bytesRead === 0) break;
      onRead?.(bytesRead);
      const bytes = window.lines(bytesRead);
      const lines: FileLine[] = [];
      let start = 0;
      for (let end = bytes.indexOf(10); end >= 0; end = bytes.indexOf(10, start)) {
        lines.push({ text: bytes.toString("utf8", start, end), offset: offset + start, end: offset + end });
        start = end + 1;
      }
      offset += start;
      if (lines.length > 0) yield lines;
    }
    const rest = window.rest();
    if (rest.length > 0) onRest?.({ text: rest.toString("utf8"), offset, end: offset + rest.length });
  } catch (error) {
    throw withPath(error, path);
  } finally {
    closeQuietly(file);
  }
}

/** Receives the share of some files that was read so far, from 0 to 1. */
export type OnShare = (share: number) => void;

export function shareOf(paths: readonly string[], onShare: OnShare): OnRead {
  const all = paths.reduce((sum, path) => sum + sizeOf(path), 0);
  let done = 0;
  return (bytes) => onShare(Math.min(1, (done += bytes) / Math.max(1, all)));
}

/** Returns the size of a file in bytes; 0 if it cannot be used, which its reader explains. */
export function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
