import { fchmodSync, fsyncSync, openSync, readdirSync, readSync, renameSync, writeSync, unlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { SmsError } from "../errors.ts";
import { errorCode } from "./error-code.ts";
import { useFile } from "./open-file.ts";
import { patiently } from "./patience.ts";

/** Writes all bytes at the current position: near a full disk, one write may be partial without an error. */
export function writeAll(file: number, bytes: Uint8Array): void {
  for (let done = 0; done < bytes.length;) done += writeSync(file, bytes, done);
}

/** Flushes a folder, so that created, renamed and removed files survive a power cut, if the system supports it. */
export function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, "r");
    useFile(file, folder, () => fsyncSync(file));
  } catch (error) {
    // Windows cannot open folders; some network file systems cannot flush them.
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(errorCode(error))) throw error;
  }
}

/** Replaces a file atomically and durably. Throws `NOT_WRITTEN`, which says whether the old file is unchanged. */
export function replaceFile(path: string, bytes: Uint8Array, mode: number): void {
  const temporary = `${path}.${randomToken()}.tmp`;
  try {
    writeVerified(temporary, bytes, mode);
    patiently(() => renameSync(temporary, path));
  } catch (error) {
    removeQuietly(temporary);
    throw notWritten(path, error);
  }
  try {
    syncFolder(dirname(path));
  } catch (error) {
    throw fault(`${path} was written, but may not survive a power cut (${errorCode(error)})`, error);
  }
}

/** Removes temporary files that killed processes left. Call it only while holding the file's lock. */
export function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    const isLeftover = name.startsWith(prefix) && /^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length));
    if (isLeftover) patiently(() => removeFile(join(folder, name)));
  }
}

/** 64 random bits in hexadecimal. The global `crypto`: a send does not load node:crypto. */
function randomToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
}

/** Removes a file if there is one. Node's `rmSync` tells no code of an error from version 23 on. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** Removes a file that whoever comes next removes as well if this fails. */
export function removeQuietly(path: string): void {
  try {
    patiently(() => removeFile(path));
  } catch {
    // Another failure is the one to report.
  }
}

function writeVerified(path: string, bytes: Uint8Array, mode: number): void {
  const file = openSync(path, "wx+", 0o600);
  useFile(file, path, () => {
    writeAll(file, bytes);
    if (!readsBack(file, bytes)) throw new Error("the file does not read back as written");
    fchmodSync(file, mode);
    fsyncSync(file);
  });
}

function readsBack(file: number, bytes: Uint8Array): boolean {
  const found = Buffer.alloc(bytes.length + 1);
  let length = 0;
  for (let read = -1; read !== 0; length += read) {
    read = readSync(file, found, length, found.length - length, length);
  }
  return found.subarray(0, length).equals(bytes);
}

/** The usage error `NOT_WRITTEN` for a file that could not be replaced and is unchanged. */
export function notWritten(path: string, cause: unknown): SmsError {
  return fault(`${path} could not be written (${errorCode(cause)}); the old file is unchanged`, cause);
}

function fault(message: string, cause: unknown): SmsError {
  return new SmsError("usage", message, {
    errorCode: "NOT_WRITTEN",
    hint: "check free space and write permission, then try again",
    cause,
  });
}
