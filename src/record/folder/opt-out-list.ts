import { existsSync, openSync, statSync } from "node:fs";
import { join } from "node:path";
import { isDate, isObject, isText, optional, parseJson, shape } from "../../json.ts";
import { numberKey, NumberSet } from "../../message/number-set.ts";
import { SmsError, usageError } from "../../errors.ts";
import { notWritten, removeLeftovers, replaceFile } from "../../files/durable.ts";
import { syncFolder, closeQuietly, errorCode } from "../../files/file-system.ts";
import { readWholeLines } from "./line-file.ts";
import { withLock } from "../../files/lock.ts";
import { makeStateFolder, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { Machine } from "../../host.ts";
import { type AddedOptOuts, type OptedOut, type OptOut, withShortReason } from "../opt-outs.ts";

const folderName = "optout";

interface OptOutFiles {
  readonly folder: string;
  readonly list: string;
  /** The marker exists from the first list on, so that a lost list is not taken for none. */
  readonly marker: string;
  readonly lock: string;
}

export function optOutFiles(state: StateFolder): OptOutFiles {
  const folder = join(state.path, folderName);
  return { folder, list: join(folder, "numbers"), marker: join(folder, "begun"), lock: join(folder, "lock") };
}

export function openList(state: StateFolder, machine: Machine) {
  const { folder, list, marker, lock } = optOutFiles(state);

  /** A first opt-out that was interrupted leaves a folder without list and marker: then this is undefined. */
  const ifBegun = async <Result>(read: () => Promise<Result>, isBegun = false): Promise<Result | undefined> => {
    try {
      requirePrivateState(state, folderName);
      return await read();
    } catch (error) {
      if (error instanceof SmsError) throw error;
      if (!["ENOENT", "ENOTDIR"].includes(errorCode(error))) throw unreadable(list, error);
      if (isBegun || existsSync(marker)) throw unusable(list, "it is gone");
      return undefined;
    }
  };
  const load = async (): Promise<readonly OptOut[]> => {
    const entries: OptOut[] = [];
    await ifBegun(() => readList(list, (line) => entries.push(readEntry(line, list))));
    return entries;
  };
  const numbersOr = async (none: OptedOut, isBegun?: boolean): Promise<OptedOut> => {
    const optedOut = await ifBegun(async () => {
      // A list that is replaced during the reading counts as changed.
      const version = versionOf(list);
      const numbers = await readList(list);
      const isCurrent = () => version === versionOf(list);
      const current: OptedOut = {
        size: numbers.size,
        has: (number) => numbers.has(number),
        isCurrent,
        renew: async () => (isCurrent() ? current : numbersOr(none, true)),
      };
      return current;
    }, isBegun);
    return optedOut ?? { ...none, isCurrent: () => !existsSync(list) };
  };
  /** Throws `LOCKED` and `NOT_WRITTEN`. */
  const change = async (edit: (entries: readonly OptOut[]) => readonly OptOut[]): Promise<readonly OptOut[]> => {
    try {
      makeStateFolder(state, folderName);
    } catch (error) {
      throw error instanceof SmsError ? error : notWritten(list, error);
    }
    return withLock(lock, machine, async () => {
      removeLeftovers(list);
      const before = await load();
      const after = edit(before);
      if (after !== before) replaceFile(list, formatList(after));
      if (existsSync(list) && !existsSync(marker)) {
        closeQuietly(openSync(marker, "wx", 0o600));
        syncFolder(folder);
      }
      return after;
    });
  };
  return {
    list: load,
    numbers: (none: OptedOut) => numbersOr(none),
    add: async (more: readonly OptOut[]): Promise<AddedOptOuts> => {
      let news: readonly OptOut[] = [];
      const { length: count } = await change((before) => {
        const numbers = new NumberSet();
        for (const { to } of before) numbers.add(numberKey(to));
        news = more.filter(({ to }) => numbers.add(numberKey(to))).map(withShortReason);
        return news.length === 0 ? before : [...before, ...news];
      });
      return { added: news.map(({ to }) => to), count };
    },
    remove: async (numbers: readonly string[]): Promise<void> => {
      const removal = new Set(numbers);
      await change((before) => before.filter(({ to }) => !removal.has(to)));
    },
  };
}

function versionOf(path: string): string | undefined {
  try {
    const { ino, size, mtimeMs, ctimeMs } = statSync(path);
    return [ino, size, mtimeMs, ctimeMs].join();
  } catch {
    return undefined;
  }
}

/** The first line has the count and a checksum of the numbers, which show damage. */
export function formatList(list: readonly OptOut[]): string {
  let checksum = 0;
  const lines = list.map(({ to, at, reason }) => {
    checksum = mixed(checksum, numberKey(to));
    return `${to} ${at}${reason === undefined ? "" : ` ${JSON.stringify(reason)}`}\n`;
  });
  return `${JSON.stringify({ version: 1, count: list.length, checksum })}\n${lines.join("")}`;
}

async function readList(path: string, onLine: (line: string) => void = () => {}): Promise<NumberSet> {
  const numbers = new NumberSet();
  let head: Readonly<Record<string, unknown>> | undefined;
  let checksum = 0;
  const refuse = () => {
    throw unusable(path, "it is damaged");
  };
  for await (const lines of readWholeLines(path, undefined, refuse)) {
    for (const { text } of lines) {
      if (head === undefined) {
        head = readHead(text, path);
        continue;
      }
      const number = Number(/^\+([1-9]\d{0,14}) /.exec(text)?.[1]);
      if (Number.isNaN(number) || !numbers.add(number)) refuse();
      checksum = mixed(checksum, number);
      onLine(text);
    }
  }
  if (head?.["count"] !== numbers.size || head["checksum"] !== checksum) refuse();
  return numbers;
}

function readHead(line: string, path: string): Readonly<Record<string, unknown>> {
  const value = parseJson(line);
  if (isObject(value) && value["version"] === 1) return value;
  throw unusable(path, "it is damaged, or another sms wrote it");
}

function readEntry(line: string, path: string): OptOut {
  const [, to, at, quoted] = /^(\+\d+) (\S+)(?: (".*"))?$/s.exec(line) ?? [];
  const entry = { to, at, reason: quoted === undefined ? undefined : parseJson(quoted) };
  if (isOptOut(entry)) return entry;
  throw unusable(path, "it is damaged");
}

const isOptOut = shape<OptOut>({ to: isText, at: isDate, reason: optional(isText) });

/** The checksum is a 32-bit FNV-1a over the two halves of each number. */
function mixed(checksum: number, number: number): number {
  const low = Math.imul(checksum ^ (number >>> 0), 0x01000193);
  return Math.imul(low ^ (number / 0x1_0000_0000), 0x01000193) >>> 0;
}

const restore = "restore it from a copy; to begin a new list, remove its folder and add the numbers again";

function unusable(path: string, why: string, hint = restore): SmsError {
  return usageError("UNUSABLE_OPT_OUTS", `the list of opt-outs ${path} cannot be used: ${why}`, hint);
}

function unreadable(path: string, error: unknown): SmsError {
  return unusable(path, `it cannot be read (${errorCode(error)})`, "make it, and its folder, yours to read and write");
}
