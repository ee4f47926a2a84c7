import { constants, fstatSync, read, statSync } from "node:fs";
import { promisify } from "node:util";
import { closeQuietly, withPath } from "../../files/file-system.ts";
import { openOwnFile } from "../../files/state-folder.ts";
import type { OnShare } from "../history.ts";

const readBytes = promisify(read);

const windowSize = 64 * 1024;

export interface FileLine {
  readonly text: string;
  readonly offset: number;
  readonly end: number;
}

export type OnRead = (bytes: number) => void;

/** `onRest` gets a last line without an end, if there is one. */
export async function* readWholeLines(
  path: string,
  onRead?: OnRead,
  onRest?: (line: FileLine) => void,
): AsyncGenerator<readonly FileLine[], void> {
  const file = openOwnFile(path, constants.O_RDONLY);
  try {
    let bytes = Buffer.allocUnsafe(windowSize);
    let length = 0;
    let offset = 0;
    for (;;) {
      // A buffer that doubles copies no more bytes than the file has.
      if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
      const { bytesRead } = await readBytes(file, bytes, length, bytes.length - length, null);
      if (bytesRead === 0) break;
      onRead?.(bytesRead);
      const window = bytes.subarray(0, length + bytesRead);
      const lines: FileLine[] = [];
      let start = 0;
      for (let end = window.indexOf(10, length); end >= 0; end = window.indexOf(10, start)) {
        lines.push({ text: window.toString("utf8", start, end), offset: offset + start, end: offset + end });
        start = end + 1;
      }
      offset += start;
      length = window.copy(bytes, 0, start);
      if (lines.length > 0) yield lines;
    }
    if (length > 0) onRest?.({ text: bytes.toString("utf8", 0, length), offset, end: offset + length });
  } catch (error) {
    throw withPath(error, path);
  } finally {
    closeQuietly(file);
  }
}

export async function* readLinesBackwards(path: string, onRead?: OnRead): AsyncGenerator<readonly string[], void> {
  const file = openOwnFile(path, constants.O_RDONLY);
  try {
    let pieces: Buffer[] = [];
    for (let end = fstatSync(file).size; end > 0;) {
      const start = Math.max(0, end - windowSize);
      const bytes = Buffer.allocUnsafe(end - start);
      const { bytesRead } = await readBytes(file, bytes, 0, bytes.length, start);
      onRead?.(bytesRead);
      end = start;
      const first = start === 0 ? -1 : bytes.indexOf(10);
      if (start > 0 && first < 0) {
        pieces = [bytes, ...pieces];
        continue;
      }
      const text = Buffer.concat([bytes.subarray(first + 1), ...pieces]).toString();
      pieces = [bytes.subarray(0, first + 1)];
      yield text
        .split("\n")
        .filter((line) => line.trim() !== "")
        .toReversed();
    }
  } catch (error) {
    throw withPath(error, path);
  } finally {
    closeQuietly(file);
  }
}

export function shareOf(paths: readonly string[], onShare: OnShare): OnRead {
  const all = paths.reduce((size, path) => size + sizeOf(path), 0);
  let sum = 0;
  return (bytes) => onShare(Math.min(1, (sum += bytes) / Math.max(1, all)));
}

export function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
