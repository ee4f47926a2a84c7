import { existsSync, openSync, type Stats, statSync } from "node:fs";
import { join } from "node:path";
import { isObject, parseJson } from "../../json.ts";
import { numberKey, NumberSet } from "../../message/number-set.ts";
import { SmsError, usageError } from "../../errors.ts";
import { notWritten, removeLeftovers, replaceFile } from "../../files/durable.ts";
import { syncFolder } from "../../files/folder.ts";
import { closeQuietly, errorCode } from "../../files/open-file.ts";
import { readWholeLines } from "./line-file.ts";
import { withLock } from "../../files/lock.ts";
import { makeStateFolder, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import { type AddedOptOuts, type OptedOut, type OptOut, withShortReason } from "../opt-outs.ts";

export type ListMachine = Pick<Host, "processes" | "now" | "sleep" | "random">;

const timeoutMs = 10_000;

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

export function openList(state: StateFolder, machine: ListMachine) {
  const files = optOutFiles(state);
  return {
    list: () => load(state, files),
    numbers: (none: OptedOut) => readNumbers(state, { files, none }),
    add: async (more: readonly OptOut[]): Promise<AddedOptOuts> => {
      let added: readonly OptOut[] = [];
      const after = await change(state, { files, machine }, (before) => {
        const known = setOf(before);
        added = more.filter(({ to }) => known.add(numberKey(to))).map(withShortReason);
        return added.length === 0 ? before : [...before, ...added];
      });
      return { added: added.map(({ to }) => to), count: after.length };
    },
    remove: async (numbers: readonly string[]): Promise<void> => {
      const removed = new Set(numbers);
      await change(state, { files, machine }, (before) => before.filter(({ to }) => !removed.has(to)));
    },
  };
}

/** Throws `LOCKED` and `NOT_WRITTEN`. */
async function change(
  state: StateFolder,
  { files, machine }: { readonly files: OptOutFiles; readonly machine: ListMachine },
  edit: (list: readonly OptOut[]) => readonly OptOut[],
): Promise<readonly OptOut[]> {
  const { folder, list, lock, marker } = files;
  try {
    makeStateFolder(state, folderName);
  } catch (error) {
    throw error instanceof SmsError ? error : notWritten(list, error);
  }
  return withLock(lock, { ...machine, timeoutMs }, async () => {
    removeLeftovers(list);
    const before = await load(state, files);
    const after = edit(before);
    if (after !== before) replaceFile(list, formatList(after), 0o600);
    if (existsSync(list) && !existsSync(marker)) {
      closeQuietly(openSync(marker, "wx", 0o600));
      syncFolder(folder);
    }
    return after;
  });
}

async function load(state: StateFolder, { list, marker }: OptOutFiles): Promise<readonly OptOut[]> {
  requirePrivateState(state, folderName);
  const found: OptOut[] = [];
  try {
    await readList(list, (line) => found.push(readEntry(line, list)));
  } catch (error) {
    if (error instanceof SmsError) throw error;
    if (errorCode(error) !== "ENOENT") throw unreadable(list, error);
    if (existsSync(marker)) throw unusable(list, "it is gone");
  }
  return found;
}

async function readNumbers(
  state: StateFolder,
  {
    files,
    none,
    wasThere = false,
  }: { readonly files: OptOutFiles; readonly none: OptedOut; readonly wasThere?: boolean | undefined },
): Promise<OptedOut> {
  const { list, marker } = files;
  try {
    requirePrivateState(state, folderName);
    // The stat comes before the read: a list that is replaced meanwhile counts as changed.
    const stats = statSync(list);
    const numbers = await readList(list);
    const isCurrent = () => isSame(stats, statOf(list));
    const read: OptedOut = {
      size: numbers.size,
      has: (number) => numbers.has(number),
      isCurrent,
      renew: async () => (isCurrent() ? read : readNumbers(state, { files, none, wasThere: true })),
    };
    return read;
  } catch (error) {
    if (error instanceof SmsError) throw error;
    if (!["ENOENT", "ENOTDIR"].includes(errorCode(error))) throw unreadable(list, error);
    // A first opt-out that was interrupted leaves a folder without list and marker.
    if (wasThere || existsSync(marker)) throw unusable(list, "it is gone");
    return { ...none, isCurrent: () => statOf(list) === undefined };
  }
}

function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

function isSame(was: Stats, is: Stats | undefined): boolean {
  return was.ino === is?.ino && was.size === is.size && was.mtimeMs === is.mtimeMs && was.ctimeMs === is.ctimeMs;
}

function setOf(list: readonly OptOut[]): NumberSet {
  const numbers = new NumberSet();
  for (const { to } of list) numbers.add(numberKey(to));
  return numbers;
}

/** The first line has the count and a checksum of the numbers, which show damage. */
export function formatList(list: readonly OptOut[]): Buffer {
  let checksum = 0;
  const lines = list.map(({ to, at, reason }) => {
    checksum = mixed(checksum, numberKey(to));
    return `${to} ${at}${reason === undefined ? "" : ` ${JSON.stringify(reason)}`}\n`;
  });
  return Buffer.from(`${JSON.stringify({ version: 1, count: list.length, checksum })}\n${lines.join("")}`);
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
  const reason = quoted === undefined ? undefined : parseJson(quoted);
  const isReason = reason === undefined || typeof reason === "string";
  if (to === undefined || at === undefined || Number.isNaN(Date.parse(at)) || !isReason) {
    throw unusable(path, "it is damaged");
  }
  return { to, at, ...(reason !== undefined && { reason }) };
}

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
