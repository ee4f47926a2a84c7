import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { SmsError } from "../errors.ts";
import { removeLeftovers, replaceFile, writeAll } from "../files/durable.ts";
import { type Purpose, requirePrivateFile } from "../files/privacy.ts";
import type { SandboxMessage, SandboxRefusal } from "./account.ts";
import type { Entries, Kept } from "./history.ts";
import { fileOf, lineOf, readKept } from "./kept-lines.ts";

/** The file of `--keep`. */
export interface KeptFile extends Kept<SandboxMessage, SandboxRefusal> {
  readonly close: () => void;
}

const purpose: Purpose = {
  errorCode: "UNUSABLE_KEEP_FILE",
  refusal: "--keep cannot be used",
  instead: "a file of your own",
};

/** A file is rewritten at that many lines, unless at least half of them are still needed. */
const mostLines = 200_000;

/**
 * Opens the file that keeps messages and refusals, or creates it. Throws a usage error `UNUSABLE_KEEP_FILE` if it is not
 * such a file, or if others than `uid` (undefined on Windows) can use it. It is not changed before the first change of the
 * history. If it cannot be written then, or something else has changed it, `warn` is called once, and no more is kept.
 */
export function openKeptFile(path: string, uid: number | undefined, warn: (text: string) => void): KeptFile {
  let file: number | undefined = openFile(path, uid);
  const { messages, refusals, lines: found, isTorn, size: foundSize } = readFile(path, file, uid);
  let { ino, dev } = fstatSync(file);
  let [lines, size, isDamaged] = [found, foundSize, isTorn];

  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const rewrite = (now: Entries<SandboxMessage, SandboxRefusal>) => {
    removeLeftovers(path);
    replaceFile(path, fileOf(now), 0o600);
    close();
    file = openSync(path, appending);
    ({ ino, dev, size } = fstatSync(file));
    lines = now.messages.length + now.refusals.length;
    isDamaged = false;
  };
  const change = (act: (target: number) => void) => {
    if (file === undefined) return;
    try {
      const there = lstatSync(path);
      if (there.ino !== ino || there.dev !== dev || there.size !== size) {
        throw new Error("something else has changed it");
      }
      act(file);
    } catch (error) {
      close();
      warn(`Messages are no longer kept in ${path}: ${reasonOf(error)}.`);
    }
  };
  return {
    messages,
    refusals,
    append: (entry, now) =>
      change((target) => {
        const isLong = lines >= Math.max(mostLines, 2 * (now.messages.length + now.refusals.length));
        if (isDamaged || isLong) return rewrite(now);
        const bytes = lineOf(entry);
        writeAll(target, bytes);
        size += bytes.length;
        lines++;
      }),
    replace: (now) => change(() => rewrite(now)),
    close,
  };
}

// Without following a link or waiting for the writer of a pipe. Windows has neither flag.
const appending = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

function openFile(path: string, uid: number | undefined): number {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) return openSync(path, appending | constants.O_CREAT | constants.O_EXCL, 0o600);
    requirePrivateFile(path, stats, uid, purpose);
    return openSync(path, appending);
  } catch (error) {
    throw unusable(path, error);
  }
}

function readFile(path: string, file: number, uid: number | undefined) {
  try {
    const stats = fstatSync(file);
    requirePrivateFile(path, stats, uid, purpose);
    if (stats.nlink > 1) throw new Error("it has another hard link");
    const bytes = readFileSync(file);
    return { ...readKept(bytes), size: bytes.length };
  } catch (error) {
    closeSync(file);
    throw unusable(path, error);
  }
}

function unusable(path: string, cause: unknown): SmsError {
  if (cause instanceof SmsError) return cause;
  return new SmsError("usage", `--keep ${path} cannot be used: ${reasonOf(cause)}`, {
    errorCode: purpose.errorCode,
    hint: "name a file of an earlier --keep, or one that does not exist yet",
    cause,
  });
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
