// files: writes that survive other programs and a power cut.

import {
  fsyncSync,
  openSync,
  readdirSync,
  renameSync,
  writeSync,
  unlinkSync,
  existsSync,
  accessSync,
  constants,
  statfsSync,
  statSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { type SmsError, usageError } from "../errors.ts";
import { syncFolder, closeQuietly, errorCode, useFile } from "./file-system.ts";

/** Near a full disk `write` writes fewer bytes than it got, without an error. */
export function writeAll(write: (bytes: Uint8Array) => number, bytes: Uint8Array): void {
  for (let start = 0; start < bytes.length;) {
    const count = write(bytes.subarray(start));
    if (count === 0) throw new Error("no bytes were written");
    start += count;
  }
}

/** Replaces a file atomically and durably. Throws `NOT_WRITTEN`, which says if the old file is unchanged. */
export function replaceFile(path: string, text: string): void {
  const file = newFile(path);
  try {
    file.write(text);
    file.commit();
  } catch (error) {
    file.discard();
    throw error;
  }
}

export function moveInto(path: string, temporary: string): void {
  try {
    retryOnWindows(() => renameSync(temporary, path));
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

/** Only the process that has the file's lock may call this. */
export function removeLeftovers(path: string): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    const isLeftover = name.startsWith(prefix) && /^[0-9a-f]{16}\.tmp$/.test(name.slice(prefix.length));
    if (isLeftover) retryOnWindows(() => removeFile(join(folder, name)));
  }
}

/** `node:crypto` would slow the start of a send; the global `crypto` does not. */
export function randomToken(): string {
  return Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
}

/** From Node 23 on, `rmSync` gives no error code. */
export function removeFile(path: string): void {
  try {
    unlinkSync(path);
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
  }
}

/** If this fails, the next process removes the file. */
export function removeQuietly(path: string): void {
  try {
    retryOnWindows(() => removeFile(path));
  } catch {
    // The caller reports another failure.
  }
}

export function notWritten(path: string, cause: unknown, reason = errorCode(cause)): SmsError {
  return fault(`${path} could not be written (${reason}); the old file is unchanged`, cause);
}

function fault(message: string, cause: unknown): SmsError {
  return usageError("NOT_WRITTEN", message, {
    hint: "check its folder, free space and write permission, then try again",
    cause,
  });
}

interface System {
  readonly isWindows: boolean;
  readonly pause: (ms: number) => void;
}

const system: System = {
  isWindows: sep === "\\",
  pause: (ms) => void Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms),
};

/** On Windows a virus scanner may have the file open for a moment, so this tries for half a second, then throws. */
export function retryOnWindows<T>(work: () => T, { isWindows, pause }: System = system): T {
  for (const ms of isWindows ? [5, 15, 30, 50, 100, 100, 200] : []) {
    try {
      return work();
    } catch (error) {
      if (!["EPERM", "EACCES", "EBUSY"].includes(errorCode(error))) throw error;
      pause(ms);
    }
  }
  return work();
}

/** The folder may be absent. Throws `ENOTDIR` if a file is in the way, and the system's error if nobody may write. */
export function roomIn(path: string): number {
  const folder = nearest(path);
  // A folder cannot be made below a file, and root may write anywhere.
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: "ENOTDIR" });
  accessSync(folder, constants.W_OK | constants.X_OK);
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  // Some file systems do not count files.
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
}

function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}

interface NewFile {
  readonly write: (text: string) => void;
  readonly commit: () => void;
  readonly discard: () => void;
}

const pieceSize = 64 * 1024;

/** Only its owner may read the file. */
export function newFile(path: string): NewFile {
  const temporary = `${path}.${randomToken()}.tmp`;
  const attempt = <Result>(work: () => Result): Result => {
    try {
      return work();
    } catch (error) {
      throw notWritten(path, error);
    }
  };
  const file = attempt(() => openSync(temporary, "wx", 0o600));
  let isOpen = true;
  let piece = "";
  const flush = () => {
    attempt(() => writeAll((rest) => writeSync(file, rest), Buffer.from(piece)));
    piece = "";
  };
  return {
    write: (text) => {
      piece += text;
      if (piece.length >= pieceSize) flush();
    },
    commit: () => {
      flush();
      isOpen = false;
      attempt(() => useFile(file, temporary, () => fsyncSync(file)));
      moveInto(path, temporary);
    },
    discard: () => {
      if (isOpen) closeQuietly(file);
      isOpen = false;
      removeQuietly(temporary);
    },
  };
}
