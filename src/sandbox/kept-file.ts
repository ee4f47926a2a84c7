import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { is } from "valibot";
import { SmsError } from "../errors.ts";
import { removeLeftovers, replaceFile, writeAll } from "../files/durable.ts";
import { type Purpose, requirePrivateFile } from "../files/privacy.ts";
import { parseJson } from "../message/json.ts";
import { type Entry, entry, type Kept } from "./history.ts";

export interface KeptFile extends Kept {
  readonly close: () => void;
}

const purpose: Purpose = {
  errorCode: "UNUSABLE_KEEP_FILE",
  refusal: "--keep cannot be used",
  instead: "a file of your own",
};

/** A file is rewritten at that many lines, of which a history needs half at most. */
const mostLines = 200_000;

const header = `{"format":"sms-sandbox-messages","version":1}`;

// Without following a link or waiting for the writer of a pipe. Windows has neither flag.
const appending = constants.O_RDWR | constants.O_APPEND | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/**
 * Opens the file that keeps messages and refusals, or creates it. Throws a usage error `UNUSABLE_KEEP_FILE` if it is not
 * such a file, or if others than `uid` (undefined on Windows) can use it. It is not changed before the first change of the
 * history. If it cannot be written then, or something else has changed it, `warn` is called once, and no more is kept.
 */
export function openKeptFile(path: string, uid: number | undefined, warn: (text: string) => void): KeptFile {
  const found = readFile(path, uid);
  let file: number | undefined = found.file;
  let { ino, dev, size } = fstatSync(found.file);
  let lines = found.entries.length;
  let isTorn = found.isTorn;

  const close = () => {
    if (file !== undefined) closeSync(file);
    file = undefined;
  };
  const rewrite = (now: readonly Entry[]) => {
    removeLeftovers(path);
    replaceFile(path, fileOf(now), 0o600);
    close();
    file = openSync(path, appending);
    ({ ino, dev, size } = fstatSync(file));
    lines = now.length;
    isTorn = false;
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
    entries: found.entries,
    append: (added, now) =>
      change((target) => {
        if (isTorn || lines >= mostLines) return rewrite(now);
        const bytes = lineOf(added);
        writeAll(target, bytes);
        size += bytes.length;
        lines++;
      }),
    replace: (now) => change(() => rewrite(now)),
    close,
  };
}

function readFile(path: string, uid: number | undefined) {
  let file: number | undefined;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats !== undefined) requirePrivateFile(path, stats, uid, purpose);
    const creating = stats === undefined ? constants.O_CREAT | constants.O_EXCL : 0;
    file = openSync(path, appending | creating, 0o600);
    const opened = fstatSync(file);
    requirePrivateFile(path, opened, uid, purpose);
    if (opened.nlink > 1) throw new Error("it has another hard link");
    return { file, ...readKept(readFileSync(file, "utf8")) };
  } catch (error) {
    if (file !== undefined) closeSync(file);
    if (error instanceof SmsError) throw error;
    throw new SmsError("usage", `--keep ${path} cannot be used: ${reasonOf(error)}`, {
      errorCode: purpose.errorCode,
      hint: "name a file of an earlier --keep, or one that does not exist yet",
      cause: error,
    });
  }
}

/** Reads a file without what follows its last whole line, which makes it torn, as an empty file is. Throws an error that names a wrong line. */
function readKept(text: string): { readonly entries: readonly Entry[]; readonly isTorn: boolean } {
  const [first = "", ...lines] = text.split("\n");
  const rest = lines.pop();
  if (first !== header && !(rest === undefined && header.startsWith(first))) {
    throw new Error("it is not a file of sandbox messages");
  }
  const entries = lines.map((line, index) => {
    const found = parseJson(line);
    if (is(entry, found)) return found;
    throw new Error(`line ${index + 2} is not a message of a sandbox`);
  });
  return { entries, isTorn: rest !== "" };
}

export function fileOf(entries: readonly Entry[]): Uint8Array {
  return Buffer.concat([Buffer.from(`${header}\n`), ...entries.map(lineOf)]);
}

/** Returns the line of an entry, without the id of a request: requests are not kept. */
function lineOf(kept: Entry): Uint8Array {
  return Buffer.from(`${JSON.stringify(kept, (name, value) => (name === "requestId" ? undefined : value))}\n`);
}

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
