import { constants, closeSync, fstatSync, readFileSync, readSync, type Stats } from "node:fs";
import { isObject, parseJson } from "../core/json.ts";
import { numberKey } from "../core/number-key.ts";
import { NumberSet } from "../core/number-set.ts";
import { LineWindow } from "../files/line-window.ts";
import { openOwnFile } from "../files/state-folder.ts";
import { unusableList } from "./opt-out-faults.ts";

/** One number that is never sent to. */
export interface OptOut {
  /** E.164. */
  readonly to: string;
  /** When it opted out. ISO 8601, UTC. */
  readonly at: string;
  readonly reason?: string;
}

/** The first line of the file: how many numbers follow, and `mixed` over them, so that a damaged file is known. */
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
  try {
    const [, ...lines] = readFileSync(file, "utf8").split("\n").slice(0, -1);
    return lines.map((line) => readEntry(line, path));
  } finally {
    closeSync(file);
  }
}

function readEntry(line: string, path: string): OptOut {
  const [, to, at, quoted] = /^(\+\d+) (\S+)(?: (".*"))?$/.exec(line) ?? [];
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
  try {
    const stats = fstatSync(file);
    let head: Head | undefined;
    let numbers = new NumberSet();
    let checksum = 0;
    let count = 0;
    const isWhole = forEachLine(file, (bytes, start, end) => {
      if (head === undefined) {
        head = readHead(bytes.toString("latin1", start, end), path);
        numbers = new NumberSet(Math.min(head.count, stats.size));
        return;
      }
      const number = numberIn(bytes, start, end);
      if (number === undefined || !numbers.add(number)) throw unusableList(path, "it is damaged");
      checksum = mixed(checksum, number);
      count++;
    });
    if (!isWhole || head?.count !== count || head.checksum !== checksum) throw unusableList(path, "it is damaged");
    return { numbers, stats };
  } finally {
    closeSync(file);
  }
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

/** Calls `use` with the place of each line, without its end. Returns whether the last line has an end. */
function forEachLine(file: number, use: (bytes: Buffer, start: number, end: number) => void): boolean {
  const window = new LineWindow();
  for (let read = readSync(file, window.room()); read > 0; read = readSync(file, window.room())) {
    const bytes = window.lines(read);
    let start = 0;
    for (let at = bytes.indexOf(0x0a); at >= 0; at = bytes.indexOf(0x0a, start)) {
      use(bytes, start, at);
      start = at + 1;
    }
  }
  return window.rest().length === 0;
}

/** Returns the number at the start of a line, with a + before and a space behind it. */
function numberIn(bytes: Buffer, start: number, end: number): number | undefined {
  let number = 0;
  let at = start + 1;
  for (; at < end && at <= start + 16; at++) {
    const digit = (bytes[at] ?? 0) - 0x30;
    if (digit < 0 || digit > 9) break;
    number = number * 10 + digit;
  }
  return bytes[start] === 0x2b && bytes[at] === 0x20 && number > 0 ? number : undefined;
}

/** Mixes a number into a checksum: 32-bit FNV-1a over its two halves. */
function mixed(checksum: number, number: number): number {
  const low = Math.imul(checksum ^ (number >>> 0), 0x01000193);
  return Math.imul(low ^ (number / 0x1_0000_0000), 0x01000193) >>> 0;
}
