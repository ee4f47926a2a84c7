import type { Stats } from "node:fs";
import { insecure, shellWord } from "./store-faults.ts";

/** Throws a usage error `INSECURE_STORE`, with the command that fixes it, unless only `uid` can use the folder. */
export function requirePrivateFolder(path: string, stats: Stats, uid: number | undefined): void {
  requirePrivate(path, stats, uid, "700");
}

/** The same for a file, which must not be a link. */
export function requirePrivateFile(path: string, stats: Stats, uid: number | undefined): void {
  if (!stats.isFile()) {
    throw insecure(`${path} is not a plain file`, `mv ${shellWord(path)} ${shellWord(`${path}.other`)}`);
  }
  requirePrivate(path, stats, uid, "600");
}

function requirePrivate(path: string, stats: Stats, uid: number | undefined, mode: string): void {
  // Windows has no such owners and modes.
  if (uid === undefined) return;
  if (stats.uid !== uid) {
    throw insecure(`${path} belongs to another user`, `sudo chown ${uid} ${shellWord(path)}`);
  }
  if ((stats.mode & 0o077) !== 0) {
    const found = (stats.mode & 0o777).toString(8).padStart(4, "0");
    throw insecure(`${path} is open to other users (mode ${found})`, `chmod ${mode} ${shellWord(path)}`);
  }
}
