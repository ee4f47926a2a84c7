import { constants, fdatasyncSync, fstatSync, readSync, writeSync } from "node:fs";
import { join } from "node:path";
import { removeQuietly, syncFolder } from "../../files/durable.ts";
import { errorCode, namesIn, useFile } from "../../files/open-file.ts";
import {
  notRecordable,
  openOrMakeFile,
  openOwnFile,
  requirePrivateState,
  type StateFolder,
} from "../../files/state-folder.ts";
import { SmsError, usageError } from "../../errors.ts";
import type { AccountKeeper } from "../account.ts";
import { beginLine, DayLines, endLine, reserveLine, settleLine } from "../spent-day.ts";

const folderName = "spending";

/** The length from which a day goes on in another file, so that a command never reads much. Bytes. */
const longFile = 1024 * 1024;

interface DayFile {
  readonly date: string;
  readonly part: number;
  readonly name: string;
  readonly lines: DayLines;
  offset: number;
}

/**
 * What accounts spend, in files of a state folder: one for each account and day, which processes append lines to. A line is
 * appended by one write, which the system keeps apart from the writes of others, and what it grants depends on the lines before it
 * alone. So there is no lock, which a stopped process could hold.
 */
export function spendingFolder(state: StateFolder): Pick<AccountKeeper, "day" | "reserve" | "settle" | "reservedBy"> {
  /** What this process has read, by account. */
  const read = new Map<string, DayFile>();

  /** Returns the latest file of this day, or of the latest day on record if that is later; its lines may have no beginning yet. */
  const latest = (account: string, today: string): DayFile => {
    const [last] = filesOf(state, account);
    let file =
      last === undefined || last.date < today ? dayFile(account, today, 0) : dayFile(account, last.date, last.part);
    const known = read.get(account);
    if (known?.name === file.name) file = known;
    readOn(state, file);
    if (file.lines.isClosed) file = dayFile(account, file.date, file.part + 1);
    read.set(account, file);
    return file;
  };

  /** Returns the line with which a file begins: the state at the end of the file before it. */
  const beginningOf = (account: string, { date, part }: DayFile): string => {
    const before = filesOf(state, account).find((file) => file.date < date || (file.date === date && file.part < part));
    if (before === undefined) return beginLine(1);
    const file = dayFile(account, before.date, before.part);
    readOn(state, file);
    return file.date === date ? file.lines.snapshot() : beginLine(file.lines.spentOn(date).creditsPerSegment);
  };

  /** Appends a line, and returns the file that took it and how much it was granted. */
  const append = (account: string, today: string, lineWith: (token: string) => string, isDurable: boolean) => {
    for (;;) {
      const file = latest(account, today);
      const token = Buffer.from(crypto.getRandomValues(new Uint8Array(8))).toString("hex");
      const begin = file.lines.hasBegun ? "" : `\n${beginningOf(account, file)}\n`;
      write(state, file, `${begin}\n${lineWith(token)}\n`, isDurable);
      const granted = readOn(state, file, token);
      if (begin !== "") removeOld(state, account, file.date);
      if (file.offset > longFile && !file.lines.isClosed) write(state, file, `\n${endLine}\n`, false);
      // Unless another process closed the file before.
      if (granted !== undefined) return { file, granted };
    }
  };

  return {
    day: async (account, today) => {
      const file = latest(account, today);
      if (file.lines.hasBegun) return file.lines.spentOn(file.date);
      const lines = new DayLines();
      lines.apply(beginningOf(account, file));
      return lines.spentOn(file.date);
    },
    reserve: async (account, reservation) => {
      try {
        const { file, granted } = append(account, reservation.today, (token) => reserveLine(token, reservation), true);
        return { ...file.lines.spentOn(file.date), granted };
      } catch (error) {
        throw error instanceof SmsError ? error : notRecordable(error, "message");
      }
    },
    settle: async (account, { holder, date }, settlements) => {
      if (latest(account, date).date !== date) return;
      append(account, date, (token) => settleLine(token, holder, settlements), false);
    },
    reservedBy: async (account, holder, today) => latest(account, today).lines.openOf(holder),
  };
}

function dayFile(account: string, date: string, part: number): DayFile {
  return { date, part, name: `${account}.${date}.${part}.ndjson`, lines: new DayLines(), offset: 0 };
}

function filesOf(state: StateFolder, account: string): readonly Pick<DayFile, "date" | "part" | "name">[] {
  requirePrivateState(state, folderName);
  return namesIn(join(state.path, folderName))
    .flatMap((name) => {
      const [, of, date = "", part] = /^([0-9a-f]+)\.(\d{4}-\d\d-\d\d)\.(\d+)\.ndjson$/.exec(name) ?? [];
      return of === account ? [{ date, part: Number(part), name }] : [];
    })
    .sort((one, other) => (one.date === other.date ? other.part - one.part : one.date < other.date ? 1 : -1));
}

/** Reads the lines that are new in a file. Returns what the line with this token was granted. Throws `SPENDING_DAMAGED`. */
function readOn({ path }: StateFolder, file: DayFile, token?: string): number | undefined {
  const name = join(path, folderName, file.name);
  const bytes = bytesAfter(name, file.offset);
  const end = bytes.lastIndexOf("\n") + 1;
  file.offset += end;
  let granted: number | undefined;
  for (const line of bytes.subarray(0, end).toString().split("\n")) {
    const done = line === "" ? undefined : file.lines.apply(line);
    if (done !== undefined && done.token === token) granted = done.granted;
  }
  if (file.lines.isDamaged) {
    const hint = "restore it from a copy, or remove it: then its day begins anew, with nothing spent";
    throw usageError("SPENDING_DAMAGED", `${name}, what an account has spent on a day, is damaged`, hint);
  }
  return granted;
}

function bytesAfter(path: string, offset: number): Buffer {
  let descriptor: number;
  try {
    descriptor = openOwnFile(path, constants.O_RDONLY);
  } catch (error) {
    if (errorCode(error) === "ENOENT" && offset === 0) return Buffer.alloc(0);
    throw error;
  }
  return useFile(descriptor, path, () => {
    const bytes = Buffer.alloc(Math.max(0, fstatSync(descriptor).size - offset));
    return bytes.subarray(0, readSync(descriptor, bytes, 0, bytes.length, offset));
  });
}

/** Appends lines by one write. The line end in front ends a line that a kill cut short. */
function write(state: StateFolder, { name }: DayFile, lines: string, isDurable: boolean): void {
  const path = join(state.path, folderName, name);
  const file = openOrMakeFile(state, folderName, name, constants.O_WRONLY | constants.O_APPEND);
  useFile(file, path, () => {
    const bytes = Buffer.from(lines);
    const isNew = fstatSync(file).size === 0;
    if (writeSync(file, bytes) < bytes.length) throw Object.assign(new Error("there is no room"), { code: "ENOSPC" });
    if (isDurable) fdatasyncSync(file);
    if (isNew) syncFolder(join(state.path, folderName));
  });
}

/** Removes the files of days before the last, which a process whose clock is a moment behind may still use. */
function removeOld(state: StateFolder, account: string, date: string): void {
  const files = filesOf(state, account).filter((file) => file.date < date);
  for (const file of files) if (file.date !== files[0]?.date) removeQuietly(join(state.path, folderName, file.name));
}
