import { closeSync, fdatasync, ftruncateSync, openSync, writeSync } from "node:fs";
import { SmsError } from "../errors.ts";

/** A journal's file, open at its end. */
export interface JournalFile {
  /** Writes some of the bytes and says how many; near a full disk that may be a part, with no error. */
  readonly write: (bytes: Uint8Array) => number;
  /** Resolves once all that was written would survive a power cut. */
  readonly datasync: () => Promise<void>;
  readonly close: () => void;
}

/** Opens a journal for appending after its first `length` bytes; what stands behind them is cut off. */
export function openJournalFile(path: string, length: number): JournalFile {
  const file = openSync(path, "a", 0o600);
  ftruncateSync(file, length);
  return {
    write: (bytes) => writeSync(file, bytes),
    datasync: () =>
      new Promise((resolve, reject) => {
        fdatasync(file, (error) => (error === null ? resolve() : reject(error)));
      }),
    close: () => closeSync(file),
  };
}

/** Lines that are written together, and what waits for them. */
interface Batch {
  lines: string[];
  isLasting: boolean;
  readonly settled: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: SmsError) => void;
}

/**
 * The appending end of a journal. Lines gather while the batch before them is written and flushed, so that one flush
 * serves all that came meanwhile. After the first failure nothing is written any more: a second flush that succeeds
 * would not mean that the bytes of the first are safe.
 */
export class Journal {
  readonly #file: JournalFile;
  readonly #path: string;
  #gathering: Batch | undefined;
  #writing: Promise<void> | undefined;
  #failure: SmsError | undefined;

  /** `path` is for the sentence of an error. */
  constructor(file: JournalFile, path: string) {
    this.#file = file;
    this.#path = path;
  }

  /** Resolves once the line is in the file, in the order of the calls; rejects with a `fault` once that failed. */
  write(line: string): Promise<void> {
    return this.#append(line, false);
  }

  /** As `write`, and resolves only once the line would survive a power cut. */
  writeLasting(line: string): Promise<void> {
    return this.#append(line, true);
  }

  /** Flushes and closes the file. Throws what has failed, then or before. */
  async close(): Promise<void> {
    try {
      await this.#append("", true);
    } finally {
      await this.#writing;
      this.#file.close();
    }
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
    // All that this turn of the event loop brings goes into the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = this.#takeBatch(); batch !== undefined; batch = this.#takeBatch()) {
      try {
        this.#writeAll(Buffer.from(batch.lines.join("")));
        if (batch.isLasting) await this.#file.datasync();
        batch.resolve();
        // Who waited for it has more to write, which belongs in the next batch.
        await Promise.resolve();
      } catch (error) {
        this.#failure = notRecorded(this.#path, error);
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
      if (written === 0) throw new Error("nothing could be written");
      done += written;
    }
  }
}

function newBatch(): Batch {
  const { promise, resolve, reject } = withResolvers();
  return { lines: [], isLasting: false, settled: promise, resolve, reject };
}

function withResolvers() {
  let resolve: () => void = () => {};
  let reject: (error: SmsError) => void = () => {};
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

function notRecorded(path: string, cause: unknown): SmsError {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SmsError("fault", `${path} could not be written: ${why}`, {
    errorCode: "RUN_NOT_RECORDED",
    hint: "sending was stopped; make room on the disk, then resume the run",
    cause,
  });
}
