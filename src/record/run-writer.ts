import type { SmsError } from "../errors.ts";
import { encodeEntry } from "./journal-entry.ts";
import { notRecorded, type RunWriter } from "./runs.ts";

interface LineWriter {
  /** An error names this, such as "record run topup". */
  readonly what: string;
  /** Lines that are `lasting` survive a power cut when this resolves. */
  readonly write: (lines: readonly string[], isLasting: boolean) => Promise<void>;
  readonly close?: () => void;
}

interface PendingLines {
  readonly lines: string[];
  isLasting: boolean;
  readonly settled: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: SmsError) => void;
}

/** One flush serves many lines. After a failure nothing more is written, since a later success proves nothing. */
export function runWriter({ what, write, close = () => {} }: LineWriter): RunWriter {
  let gathering: PendingLines | undefined;
  let writing: Promise<void> | undefined;
  let failure: SmsError | undefined;
  let lastAt: number | undefined;

  const append = (lines: readonly string[], isLasting: boolean): Promise<void> => {
    if (failure !== undefined) return Promise.reject(failure);
    const batch = (gathering ??= newBatch());
    batch.lines.push(...lines);
    batch.isLasting ||= isLasting;
    writing ??= writeBatches();
    return batch.settled;
  };
  const writeBatches = async () => {
    // Everything from this turn of the event loop goes into the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = takeBatch(); batch !== undefined; batch = takeBatch()) {
      try {
        await write(batch.lines, batch.isLasting);
        batch.resolve();
        // The lines of those who waited join the next batch.
        await Promise.resolve();
      } catch (error) {
        failure = notRecorded(what, error);
        batch.reject(failure);
        takeBatch()?.reject(failure);
      }
    }
    writing = undefined;
  };
  const takeBatch = () => {
    const batch = gathering;
    gathering = undefined;
    return batch;
  };
  return {
    record: (entry, at) => {
      const time = Math.floor(at);
      const lines = time === lastAt ? [] : [encodeEntry({ kind: "time", at: time })];
      lastAt = time;
      return append([...lines, encodeEntry(entry)], entry.kind === "intent" || entry.kind === "closed");
    },
    close: async () => {
      try {
        await append([], true);
      } finally {
        await writing;
        close();
      }
    },
  };
}

function newBatch(): PendingLines {
  let resolve: () => void = () => {};
  let reject: (error: SmsError) => void = () => {};
  const settled = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { lines: [], isLasting: false, settled, resolve, reject };
}
