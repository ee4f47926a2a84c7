import { statSync } from "node:fs";
import type { OnRead } from "./line-file.ts";

/** Receives the share of some files that was read so far, from 0 to 1. */
export type OnShare = (share: number) => void;

/** Returns what receives the bytes that are read of these files, and passes on their share. */
export function shareOf(paths: readonly string[], onShare: OnShare): OnRead {
  const all = paths.reduce((sum, path) => sum + sizeOf(path), 0);
  let read = 0;
  return (bytes) => onShare(Math.min(1, (read += bytes) / Math.max(1, all)));
}

/** Returns the size of a file in bytes; 0 if it cannot be used, which its reader explains. */
export function sizeOf(path: string): number {
  try {
    return statSync(path).size;
  } catch {
    return 0;
  }
}
