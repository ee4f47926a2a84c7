import { constants, fdatasync, fstatSync, ftruncateSync, readSync, statSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import { runWriter } from "../run-writer.ts";
import { notRecorded, type RunWriter } from "../runs.ts";
import { writeAll } from "../../files/durable.ts";
import { closeQuietly, useFile } from "../../files/file-system.ts";
import { openOwnFile } from "../../files/state-folder.ts";
import type { FolderSpending } from "./spending-files.ts";

/** A run without a limit does not load the module. */
export type OpenSpending = () => Promise<FolderSpending>;

const flush = promisify(fdatasync);

const loss = "the run was removed, moved, changed or unlocked meanwhile";

interface JournalFile {
  /** On a nearly full disk this writes fewer bytes than it got, without an error. */
  readonly write: (bytes: Uint8Array) => number;
  readonly datasync: () => Promise<void>;
  readonly close: () => void;
}

/** If the file at `path` is another one, or the run's lock is lost, a flush fails: nothing more may be sent then. */
function openJournalFile(path: string, isOurs: () => boolean): JournalFile {
  let size = 0;
  // Windows cannot truncate a file that is open for appending.
  const whole = openOwnFile(path, constants.O_RDWR);
  const { ino, dev } = useFile(whole, path, () => {
    ftruncateSync(whole, (size = wholeLength(whole)));
    return fstatSync(whole);
  });
  const file = openOwnFile(path, constants.O_WRONLY | constants.O_APPEND);
  const isAtPath = () => {
    const now = statSync(path, { throwIfNoEntry: false });
    return now?.ino === ino && now.dev === dev && now.size === size;
  };
  return {
    write: (bytes) => {
      const length = writeSync(file, bytes);
      size += length;
      return length;
    },
    datasync: async () => {
      await flush(file);
      // Lines that were written during the flush are in both sizes.
      if (!isAtPath() || !isOurs()) throw new Error(loss);
    },
    close: () => closeQuietly(file),
  };
}

function wholeLength(file: number): number {
  const window = Buffer.alloc(64 * 1024);
  for (let end = fstatSync(file).size; end > 0; end -= window.length) {
    const start = Math.max(0, end - window.length);
    const length = readSync(file, window, 0, end - start, start);
    const last = window.subarray(0, length).lastIndexOf(10);
    if (last >= 0) return start + last + 1;
  }
  return 0;
}

export function journalWriter(file: JournalFile, path: string, spending?: OpenSpending): RunWriter {
  return runWriter({
    what: `write ${path}`,
    write: async (lines, isLasting) => {
      writeAll(file.write, Buffer.from(lines.join("")));
      if (isLasting) await file.datasync();
      return { isBooked: true };
    },
    book: spending && (async (booking, write) => (await spending()).change(booking, write)),
    close: file.close,
  });
}

export function openJournal(path: string, isOurs: () => boolean, spending?: OpenSpending): RunWriter {
  if (!isOurs()) throw notRecorded(`write ${path}`, new Error(loss));
  return journalWriter(openJournalFile(path, isOurs), path, spending);
}
