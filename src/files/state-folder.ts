import { constants, fstatSync, lstatSync, openSync, readFileSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { SmsError, usageError } from "../errors.ts";
import { errorCode, closeQuietly, ifThere, withPath, useFile, makeFolder } from "./file-system.ts";
import { elsewhere, type Purpose, requirePrivateFolder } from "./privacy.ts";

export interface StateFolder {
  readonly path: string;
  readonly uid: number | undefined;
}

const purpose: Purpose = {
  errorCode: "INSECURE_STATE",
  refusal: "refused to use the state folder",
  instead: "SMS_STATE_DIR to a folder of your own",
};

/** Throws a usage error `INSECURE_STATE` for a folder that others can use and for a link below the state folder. */
export function requirePrivateState({ path, uid }: StateFolder, ...names: readonly string[]): void {
  requirePrivateFolder(path, uid, purpose);
  let folder = path;
  for (const name of names) {
    folder = join(folder, name);
    if (isLink(folder)) throw elsewhere(`${folder} is a link`, purpose);
    requirePrivateFolder(folder, uid, purpose);
  }
}

/** Throws as `requirePrivateState`, and the system's error. */
export function makeStateFolder(state: StateFolder, ...names: readonly string[]): void {
  requirePrivateState(state, ...names);
  makeFolder(join(state.path, ...names));
  // Another user may have made the folder first.
  requirePrivateState(state, ...names);
}

/** Throws the system's error, or `INSECURE_STATE` for a link, no plain file, and a file that others can use. */
export function openOwnFile(path: string, flags: number): number {
  const file = openPlain(path, flags);
  try {
    requireOwn(path, fstatSync(file));
    return file;
  } catch (error) {
    closeQuietly(file);
    throw withPath(error, path);
  }
}

/** Throws as `requirePrivateState` and `openOwnFile`. */
export function openOrMakeFile(state: StateFolder, folder: string, name: string, flags: number): number {
  const path = join(state.path, folder, name);
  requirePrivateState(state, folder);
  try {
    return openOwnFile(path, flags);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
  makeStateFolder(state, folder);
  try {
    return openSync(path, flags | constants.O_CREAT | constants.O_EXCL, 0o600);
  } catch (error) {
    if (errorCode(error) === "EEXIST") return openOwnFile(path, flags);
    throw error;
  }
}

export function readOwnFile(path: string): string {
  const file = openOwnFile(path, constants.O_RDONLY);
  return useFile(file, path, () => readFileSync(file, "utf8"));
}

export function readIfThere(path: string): string | undefined {
  return ifThere(() => readOwnFile(path), ["ENOENT"]);
}

/** An error of ours says already what to do. */
export function notRecordable(cause: unknown, what: "run" | "message" = "run"): SmsError {
  if (cause instanceof SmsError) return cause;
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isFull = ["ENOSPC", "EDQUOT"].includes(errorCode(cause));
  const hint = `${isFull ? "make room there" : "check that you may write there"}, or set SMS_STATE_DIR to another folder`;
  return usageError("NOT_RECORDABLE", `the ${what} cannot be recorded: ${reason}`, { hint, cause });
}

function openPlain(path: string, flags: number): number {
  try {
    // A pipe without a writer would block us. Windows has neither flag.
    return openSync(path, flags | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (isLink(path)) throw elsewhere(`${path} is a link`, purpose);
    // These codes are of a folder, a socket, and a pipe without a reader.
    if (["EISDIR", "ENXIO"].includes(errorCode(error))) throw elsewhere(`${path} is not a plain file`, purpose);
    throw error;
  }
}

function requireOwn(path: string, stats: Stats): void {
  if (!stats.isFile()) throw elsewhere(`${path} is not a plain file`, purpose);
  if (stats.uid !== lstatSync(dirname(path)).uid) throw elsewhere(`${path} belongs to another user`, purpose);
  if (stats.nlink > 1) throw elsewhere(`${path} has another hard link`, purpose);
}

function isLink(path: string): boolean {
  return ifThere(() => lstatSync(path))?.isSymbolicLink() ?? false;
}
