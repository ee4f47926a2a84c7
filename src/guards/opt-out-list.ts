import { constants, fstatSync, readFileSync, readSync, type Stats } from "node:fs";
import { isObject, parseJson } from "../message/json.ts";
import { numberKey, NumberSet } from "../message/number-set.ts";
import { type SmsError, usageError } from "../errors.ts";
import { LineWindow } from "../files/line-window.ts";
import { useFile } from "../files/open-file.ts";
import { openOwnFile } from "../files/state-folder.ts";

/** One number that is never sent to. */
export interface OptOut {
  /** E.164. */
  readonly to: string;
  /** When it opted out. ISO 8601, UTC. */
  readonly at: string;
  readonly reason?: string;
}

const lineFeed = 0x0a;

/** The first line of the file: how many numbers follow, and their checksum, by which a damaged file is recognised. */
interface Head {
  readonly version: 1;
  readonly count: number;
  readonly checksum: number;
}

/** Returns the file of a list: a head, then a line for each number with its date and the reason as JSON. */
export function formatList(list: readonly OptOut[]): Buffer {
  let checksum = 0;
  const lines = list.map(({ to, at, reason }) => {
    checksum = mixed(checksum, numberKey(to));
    return `${to} ${at}${reason === undefined ? "" : ` ${JSON.stringify(reason)}`}\n`;
  });
  const head: Head = { version: 1, count: list.length, checksum };
  return Buffer.from(`${JSON.stringify(head)}\n${lines.join("")}`);
}

/** Reads a list whole. Throws the system's error, `UNUSABLE_OPT_OUTS` if it is damaged, and `INSECURE_STATE` if it is not ours. */
export function readList(path: string): readonly OptOut[] {
  readNumbers(path);
  const file = openOwnFile(path, constants.O_RDONLY);
  return useFile(file, path, () => {
    const [, ...lines] = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => readEntry(line, path));
  });
}

function readEntry(line: string, path: string): OptOut {
  const [, to, at, quoted] = /^(\+\d+) (\S+)(?: (".*"))?$/s.exec(line) ?? [];
  const reason = quoted === undefined ? undefined : parseJson(quoted);
  const isReason = reason === undefined || typeof reason === "string";
  if (to === undefined || at === undefined || Number.isNaN(Date.parse(at)) || !isReason) {
    throw unusableList(path, "it is damaged");
  }
  return { to, at, ...(reason !== undefined && { reason }) };
}

/** Reads the numbers of a list alone, in bounded memory, with the state of the file. Throws as `readList`. */
export function readNumbers(path: string): { readonly numbers: NumberSet; readonly stats: Stats } {
  const file = openOwnFile(path, constants.O_RDONLY);
  return useFile(file, path, () => {
    const stats = fstatSync(file);
    const window = new LineWindow();
    let head: Head | undefined;
    let numbers = new NumberSet();
    let checksum = 0;
    let count = 0;
    for (let read = readSync(file, window.room()); read > 0; read = readSync(file, window.room())) {
      let lines = window.lines(read);
      // No line of ours is as long as a window, which would grow.
      if (lines.length === 0) throw unusableList(path, "it is damaged");
      if (head === undefined) {
        const end = lines.indexOf(lineFeed) + 1;
        head = readHead(lines.toString("latin1", 0, end), path);
        numbers = new NumberSet(Math.min(head.count, stats.size));
        lines = lines.subarray(end);
      }
      // A window at a time: one by one, between lines, the processor would wait for the memory of each alone.
      for (const number of numbersIn(lines, path)) {
        if (!numbers.add(number)) throw unusableList(path, "it is damaged");
        checksum = mixed(checksum, number);
        count++;
      }
    }
    if (window.rest().length > 0 || head?.count !== count || head.checksum !== checksum) {
      throw unusableList(path, "it is damaged");
    }
    return { numbers, stats };
  });
}

function readHead(line: string, path: string): Head {
  const value = parseJson(line);
  if (isObject(value) && Number(value["version"]) > 1) throw unusableList(path, "a newer sms wrote it");
  const { version, count, checksum }: Readonly<Record<string, unknown>> = isObject(value) ? value : {};
  if (version !== 1 || typeof count !== "number" || typeof checksum !== "number") {
    throw unusableList(path, "it is damaged, or sms did not write it");
  }
  return { version, count, checksum };
}

function numbersIn(lines: Buffer, path: string): readonly number[] {
  const numbers: number[] = [];
  for (let start = 0; start < lines.length; start = lines.indexOf(lineFeed, start) + 1) {
    const number = numberAt(lines, start);
    if (number === undefined) throw unusableList(path, "it is damaged");
    numbers.push(number);
  }
  return numbers;
}

/** Returns the number at the start of a line, with a + before and a space behind it. */
function numberAt(lines: Buffer, start: number): number | undefined {
  let number = 0;
  let at = start + 1;
  for (; at <= start + 16; at++) {
    const digit = (lines[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return lines[start] === 0x2b && lines[at] === 0x20 && number > 0 ? number : undefined;
}

/** Mixes a number into a checksum: 32-bit FNV-1a over its two halves. */
function mixed(checksum: number, number: number): number {
  const low = Math.imul(checksum ^ (number >>> 0), 0x01000193);
  return Math.imul(low ^ (number / 0x1_0000_0000), 0x01000193) >>> 0;
}

const restore = "restore it from a copy; to begin a new list, remove its folder and add the numbers again";

/** Returns the error for a list of opt-outs that there is, or was, and that cannot be used. */
export function unusableList(path: string, why: string, hint = restore): SmsError {
  return usageError("UNUSABLE_OPT_OUTS", `the list of opt-outs ${path} cannot be used: ${why}`, hint);
}

/** Returns the error for a list that the system does not let us read; `code` is why. */
export function unreadableList(path: string, code: string): SmsError {
  return unusableList(path, `it cannot be read (${code})`, "make it, and its folder, yours to read and write");
}
