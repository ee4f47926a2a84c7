import type { Stats } from "node:fs";
import { insecure, quoted } from "./store-faults.ts";

/**
 * Refuses a folder that is not its user's alone: a usage error `INSECURE_STORE` that names the mending command. `uid` is
 * ours; undefined on Windows, which has neither owners nor modes of this kind.
 */
export function requirePrivateFolder(path: string, stats: Stats, uid: number | undefined): void {
  requirePrivate(path, stats, uid, "700");
}

/** The same of a file, which must be a plain one: a link would be replaced by a change, and lead nowhere private. */
export function requirePrivateFile(path: string, stats: Stats, uid: number | undefined): void {
  if (!stats.isFile()) {
    throw insecure(`${path} is not a plain file`, `mv ${quoted(path)} ${quoted(`${path}.other`)}`);
  }
  requirePrivate(path, stats, uid, "600");
}

function requirePrivate(path: string, stats: Stats, uid: number | undefined, mode: string): void {
  if (uid === undefined) return;
  if (stats.uid !== uid) {
    throw insecure(`${path} belongs to another user`, `sudo chown ${uid} ${quoted(path)}`);
  }
  if ((stats.mode & 0o077) !== 0) {
    const found = (stats.mode & 0o777).toString(8).padStart(4, "0");
    throw insecure(`${path} is open to other users (mode ${found})`, `chmod ${mode} ${quoted(path)}`);
  }
}
