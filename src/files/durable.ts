import { randomBytes } from "node:crypto";
import {
  closeSync,
  fchmodSync,
  fsyncSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { SmsError } from "../errors.ts";
import { errorCode } from "./error-code.ts";

/** Writes every byte where the file stands: near a full disk one write may take a part and report no error. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

/** Makes what was created, renamed or removed in a folder last through a power cut, where the system can. */
export function syncFolder(folder: string): void {
  let file: number | undefined;
  try {
    file = openSync(folder, "r");
    fsyncSync(file);
  } catch (error) {
    // Windows does not open folders, and some network file systems do not flush them.
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(errorCode(error))) throw error;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/**
 * Puts those bytes in place of the file, whole or not at all, and lastingly: written beside it under a private name, read
 * back, flushed, then renamed. Throws a usage error `NOT_WRITTEN`, after which the old file is as it was.
 */
export function replaceFile(path: string, bytes: Uint8Array, mode: number): void {
  const temporary = `${path}.${randomBytes(8).toString("hex")}.tmp`;
  try {
    writeVerified(temporary, bytes, mode);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw notWritten(`${path} could not be written (${errorCode(error)}), and is as it was before`, error);
  }
  try {
    syncFolder(dirname(path));
  } catch (error) {
    throw notWritten(
      `${path} was written, but may not last through a power cut (${errorCode(error)})`,
      error,
    );
  }
}

/** Removes what killed processes left of `replaceFile`. Only for a caller that knows nobody else to be writing the file. */
export function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    const isLeftover = name.startsWith(prefix) && /^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length));
    if (isLeftover) rmSync(join(folder, name), { force: true });
  }
}

function writeVerified(path: string, bytes: Uint8Array, mode: number): void {
  const file = openSync(path, "wx+", 0o600);
  try {
    writeAll(file, bytes);
    if (!holds(file, bytes)) throw new Error("what was written is not what can be read");
    fchmodSync(file, mode);
    fsyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Whether the file holds those bytes and no others. */
function holds(file: number, bytes: Uint8Array): boolean {
  const found = Buffer.alloc(bytes.length + 1);
  let length = 0;
  for (let read = -1; read !== 0; length += read) {
    read = readSync(file, found, length, found.length - length, length);
  }
  return found.subarray(0, length).equals(bytes);
}

function notWritten(message: string, cause: unknown): SmsError {
  return new SmsError("usage", message, {
    errorCode: "NOT_WRITTEN",
    hint: "make sure that there is space and that you may write there, then try again",
    cause,
  });
}
