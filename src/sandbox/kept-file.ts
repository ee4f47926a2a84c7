import { closeSync, constants, fstatSync, lstatSync, openSync, readFileSync } from "node:fs";
import { isObject, parseJson } from "../message/json.ts";
import { SmsError } from "../errors.ts";
import { removeLeftovers, replaceFile, writeAll } from "../files/durable.ts";
import { type Purpose, requirePrivateFile } from "../files/privacy.ts";
import type { SandboxMessage, SandboxRefusal } from "./account.ts";
import type { Entries, Entry, Kept } from "./history.ts";

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

type KeptEntry = Entry<SandboxMessage, SandboxRefusal>;

/** The first line of a file, by which it is recognised. */
const header = `{"format":"sms-sandbox-messages","version":1}`;

const notKept = "it is not a file of sandbox messages";

/** What a file has; `lines` counts its entries, and `isTorn` says that it does not end with a whole line. */
interface KeptLines extends Entries<SandboxMessage, SandboxRefusal> {
  readonly lines: number;
  readonly isTorn: boolean;
}

/** Returns the line of an entry, without the id of a request: requests are not kept. */
function lineOf(entry: KeptEntry): Uint8Array {
  const kept = "refusal" in entry ? { refusal: { ...entry.refusal, requestId: undefined } } : entry;
  return Buffer.from(`${JSON.stringify(kept)}\n`);
}

/** Returns a whole file. */
export function fileOf({ messages, refusals }: Entries<SandboxMessage, SandboxRefusal>): Uint8Array {
  return Buffer.concat([
    Buffer.from(`${header}\n`),
    ...messages.map((message) => lineOf({ message })),
    ...refusals.map((refusal) => lineOf({ refusal })),
  ]);
}

/** Reads a file without what follows its last whole line. An empty file is torn. Throws an error that names a wrong line. */
function readKept(bytes: Buffer): KeptLines {
  const messages: SandboxMessage[] = [];
  const refusals: SandboxRefusal[] = [];
  let [start, lines] = [0, 0];
  for (let end = bytes.indexOf("\n"); end !== -1; end = bytes.indexOf("\n", start)) {
    const line = bytes.toString("utf8", start, end);
    start = end + 1;
    lines++;
    if (lines === 1) {
      if (line !== header) throw new Error(notKept);
      continue;
    }
    const entry = parseJson(line);
    if (isObject(entry) && isMessage(entry["message"])) messages.push(entry["message"]);
    else if (isObject(entry) && isRefusal(entry["refusal"])) refusals.push(entry["refusal"]);
    else throw new Error(`line ${lines} is not a message of a sandbox`);
  }
  const rest = bytes.toString("utf8", start, start + header.length);
  if (lines === 0 && !header.startsWith(rest)) throw new Error(notKept);
  return { messages, refusals, lines: Math.max(0, lines - 1), isTorn: lines === 0 || start < bytes.length };
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const count: Check = (value) => typeof value === "number";
const optional: Check = (value) => value === undefined || text(value);
const mode: Check = (value) => value === "test" || value === "live" || value === "account";

const message: Readonly<Record<keyof SandboxMessage, Check>> = {
  messageId: text,
  to: text,
  senderId: text,
  message: text,
  encoding: (value) => value === "GSM-7" || value === "UCS-2",
  parts: (value) => Array.isArray(value) && value.every(text),
  segments: count,
  totalCredits: count,
  totalCostKes: count,
  mode,
  key: optional,
  at: text,
  fault: optional,
};

const refusal: Readonly<Record<keyof SandboxRefusal, Check>> = {
  at: text,
  to: text,
  senderId: optional,
  message: optional,
  mode: (value) => value === undefined || mode(value),
  key: optional,
  reason: optional,
  status: count,
  errorCode: optional,
  fault: optional,
  requestId: (value) => value === undefined,
};

function isMessage(value: unknown): value is SandboxMessage {
  return fits(value, message);
}

function isRefusal(value: unknown): value is SandboxRefusal {
  return fits(value, refusal);
}

function fits(value: unknown, shape: Readonly<Record<string, Check>>): boolean {
  return isObject(value) && Object.entries(shape).every(([name, check]) => check(value[name]));
}
