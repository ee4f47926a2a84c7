import { lstatSync, type Stats, statSync } from "node:fs";
import { shellWord } from "../words/shell-word.ts";
import { usageError } from "../errors.ts";
import { errorCode, ifThere } from "./file-system.ts";

export interface Purpose {
  readonly errorCode: string;
  readonly refusal: string;
  readonly instead: string;
}

/** Throws a usage error if another user can use the folder. A link of root is fine: systemd's DynamicUser makes one. */
export function requirePrivateFolder(path: string, uid: number | undefined, purpose: Purpose): void {
  const attempt = <T>(read: () => T) => {
    try {
      return ifThere(read);
    } catch (error) {
      throw elsewhere(`${path} cannot be reached (${errorCode(error)})`, purpose);
    }
  };
  const stats = attempt(() => lstatSync(path));
  if (stats === undefined) return;
  if (!(stats.isSymbolicLink() && stats.uid === 0)) requireOwner(path, stats, uid, purpose);
  const folder = stats.isSymbolicLink() ? attempt(() => statSync(path)) : stats;
  if (!folder?.isDirectory()) throw elsewhere(`${path} is not a folder`, purpose);
  requirePrivate(path, folder, uid, purpose);
}

export function requirePrivateFile(path: string, stats: Stats, uid: number | undefined, purpose: Purpose): void {
  if (!stats.isFile()) {
    const advice = `move it away with \`mv ${shellWord(path)} ${shellWord(`${path}.other`)}\``;
    throw insecure(`${path} is not a plain file`, advice, purpose);
  }
  requirePrivate(path, stats, uid, purpose);
}

export function elsewhere(reason: string, purpose: Purpose): Error {
  return insecure(reason, `set ${purpose.instead}`, purpose);
}

function requirePrivate(path: string, stats: Stats, uid: number | undefined, purpose: Purpose): void {
  requireOwner(path, stats, uid, purpose);
  // Windows has no such modes.
  if (uid === undefined || (stats.mode & 0o077) === 0) return;
  const mode = (stats.mode & 0o777).toString(8).padStart(4, "0");
  const advice = `fix it with \`chmod ${stats.isDirectory() ? 700 : 600} ${shellWord(path)}\``;
  throw insecure(`${path} is open to other users (mode ${mode})`, advice, purpose);
}

function requireOwner(path: string, stats: Stats, uid: number | undefined, purpose: Purpose): void {
  if (uid !== undefined && stats.uid !== uid) throw elsewhere(`${path} belongs to another user`, purpose);
}

function insecure(reason: string, advice: string, purpose: Purpose): Error {
  return usageError(purpose.errorCode, `${purpose.refusal}: ${reason}`, advice);
}
