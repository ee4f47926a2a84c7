import { constants, fdatasync, fstatSync, ftruncateSync, readSync, type Stats, statSync, writeSync } from "node:fs";
import { promisify } from "node:util";
import type { SmsError } from "../../errors.ts";
import { encodeEntry, type JournalEntry, type ResultEntry } from "../journal-entry.ts";
import { notRecorded, type RunWriter } from "../runs.ts";
import { closeQuietly, useFile, withPath } from "../../files/open-file.ts";
import { openOwnFile } from "../../files/state-folder.ts";

const flush = promisify(fdatasync);

const lost = "the run was removed, moved, changed or unlocked meanwhile";

export interface JournalFile {
  /** Writes some of the bytes and returns how many; on a nearly full disk fewer, without an error. */
  readonly write: (bytes: Uint8Array) => number;
  /** Resolves when all written bytes would survive a power cut. */
  readonly datasync: () => Promise<void>;
  readonly close: () => void;
}

/**
 * Opens a journal for appending, and removes a half-written last line. A flush fails if the file at `path` is not this one
 * with what we wrote, or if `isOurs` says that the run's lock is lost: nothing more may be sent then.
 */
export function openJournalFile(path: string, isOurs = () => true): JournalFile {
  let size = 0;
  // Windows cannot truncate a file that is open for appending.
  const whole = openOwnFile(path, constants.O_RDWR);
  useFile(whole, path, () => ftruncateSync(whole, (size = wholeLength(whole))));
  const file = openOwnFile(path, constants.O_WRONLY | constants.O_APPEND);
  const { ino, dev } = statsOf(file, path);
  const isAtPath = () => {
    const now = statSync(path, { throwIfNoEntry: false });
    return now?.ino === ino && now.dev === dev && now.size === size;
  };
  return {
    write: (bytes) => {
      const written = writeSync(file, bytes);
      size += written;
      return written;
    },
    datasync: async () => {
      await flush(file);
      // Lines that were written during the flush are in both sizes.
      if (!isAtPath() || !isOurs()) throw new Error(lost);
    },
    close: () => closeQuietly(file),
  };
}

/** Returns the length of the lines that have an end. Bytes. */
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

function statsOf(file: number, path: string): Stats {
  try {
    return fstatSync(file);
  } catch (error) {
    closeQuietly(file);
    throw withPath(error, path);
  }
}

/** Lines that are written together, and the promise for them. */
interface Batch {
  lines: string[];
  isLasting: boolean;
  readonly settled: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: SmsError) => void;
}

/**
 * Appends to a journal. Lines gather while the batch before them is written and flushed, so that one flush serves many.
 * After the first failure nothing more is written: a second flush that succeeds would not prove that the bytes of the first
 * are safe.
 */
export class Journal implements RunWriter {
  readonly #file: JournalFile;
  readonly #path: string;
  #gathering: Batch | undefined;
  #writing: Promise<void> | undefined;
  #failure: SmsError | undefined;
  #at: number | undefined;

  constructor(file: JournalFile, path: string) {
    this.#file = file;
    this.#path = path;
  }

  intend(indexes: readonly number[], at: number): Promise<void> {
    return this.#append(this.#line({ kind: "intent", indexes }, at), true);
  }

  withdraw(indexes: readonly number[], at: number): Promise<void> {
    return this.#append(this.#line({ kind: "released", indexes }, at), false);
  }

  settle(result: ResultEntry, at: number): Promise<void> {
    return this.#append(this.#line(result, at), false);
  }

  end(at: number): Promise<void> {
    return this.#append(this.#line({ kind: "summary" }, at), false);
  }

  async close(): Promise<void> {
    try {
      await this.#append("", true);
    } finally {
      await this.#writing;
      this.#file.close();
    }
  }

  /** Returns the line of an entry, after one with the time if it is another millisecond than before. */
  #line(entry: JournalEntry, at: number): string {
    const line = encodeEntry(entry);
    const time = Math.floor(at);
    if (time === this.#at) return line;
    this.#at = time;
    return encodeEntry({ kind: "time", at: time }) + line;
  }

  #append(line: string, isLasting: boolean): Promise<void> {
    if (this.#failure !== undefined) return Promise.reject(this.#failure);
    const batch = (this.#gathering ??= newBatch());
    batch.lines.push(line);
    batch.isLasting ||= isLasting;
    this.#writing ??= this.#writeBatches();
    return batch.settled;
  }

  async #writeBatches(): Promise<void> {
    // Everything from this turn of the event loop goes into the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = this.#takeBatch(); batch !== undefined; batch = this.#takeBatch()) {
      try {
        this.#writeAll(Buffer.from(batch.lines.join("")));
        if (batch.isLasting) await this.#file.datasync();
        batch.resolve();
        // Lets those who waited add their lines to the next batch.
        await Promise.resolve();
      } catch (error) {
        this.#failure = notRecorded(`write ${this.#path}`, error);
        batch.reject(this.#failure);
        this.#takeBatch()?.reject(this.#failure);
      }
    }
    this.#writing = undefined;
  }

  #takeBatch(): Batch | undefined {
    const batch = this.#gathering;
    this.#gathering = undefined;
    return batch;
  }

  #writeAll(bytes: Uint8Array): void {
    for (let done = 0; done < bytes.length;) {
      const written = this.#file.write(bytes.subarray(done));
      if (written === 0) throw new Error("no bytes were written");
      done += written;
    }
  }
}

function newBatch(): Batch {
  let resolve: () => void = () => {};
  let reject: (error: SmsError) => void = () => {};
  const settled = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { lines: [], isLasting: false, settled, resolve, reject };
}

export function openJournal(path: string, isOurs: () => boolean): Journal {
  if (!isOurs()) throw notRecorded(`write ${path}`, new Error(lost));
  return new Journal(openJournalFile(path, isOurs), path);
}
