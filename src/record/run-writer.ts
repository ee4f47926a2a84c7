import { SmsError } from "../errors.ts";
import { encodeEntry } from "./journal-entry.ts";
import { notRecorded, type RunWriter } from "./runs.ts";
import type { Booking } from "./spending.ts";

interface LineWriter<Day> {
  /** An error names this, such as "record run topup". */
  readonly what: string;
  /** Lines that are `lasting` survive a power cut when this resolves. False if they wait for a later state of the day. */
  readonly write: (lines: readonly string[], isLasting: boolean, day?: Day) => Promise<boolean>;
  /** Changes the day in the same step as `write`, which may be called again. */
  readonly book?: (booking: Booking, write: (day?: Day) => Promise<boolean>) => Promise<void>;
  readonly close?: () => void;
}

interface PendingLines {
  readonly lines: string[];
  /** These come last, and only those that the booking admits. */
  intents: readonly number[];
  booking: Booking | undefined;
  isLasting: boolean;
  readonly settled: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: SmsError) => void;
}

/** One flush serves many lines. After a failure nothing more is written, since a later success proves nothing. */
export function runWriter<Day = never>({ what, write, book, close = () => {} }: LineWriter<Day>): RunWriter {
  let gathering: PendingLines | undefined;
  let writing: Promise<void> | undefined;
  let failure: SmsError | undefined;
  let lastAt: number | undefined;

  const append = (lines: readonly string[], isLasting: boolean, booking?: Booking, intents: readonly number[] = []) => {
    if (failure !== undefined) return Promise.reject(failure);
    const batch = (gathering ??= newBatch());
    batch.lines.push(...lines);
    batch.isLasting ||= isLasting;
    if (intents.length > 0) batch.intents = intents;
    // Each booking takes what is settled by then, so that one of them is enough.
    if (intents.length > 0 || batch.booking === undefined) batch.booking = booking;
    writing ??= writeBatches();
    return batch.settled;
  };
  const writeBatches = async () => {
    // Everything from this turn of the event loop goes into the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = takeBatch(); batch !== undefined; batch = takeBatch()) {
      try {
        if (batch.booking === undefined) await write(batch.lines, batch.isLasting);
        else await writeBooked(batch, batch.booking, { write, book });
        batch.resolve();
        // The lines of those who waited join the next batch.
        await Promise.resolve();
      } catch (error) {
        failure = notRecorded(what, error);
        batch.booking?.fail(failure);
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
    record: (entry, at, booking) => {
      const time = Math.floor(at);
      const lines = time === lastAt ? [] : [encodeEntry({ kind: "time", at: time })];
      lastAt = time;
      if (entry.kind === "intent" && booking !== undefined) return append(lines, false, booking, entry.indexes);
      return append([...lines, encodeEntry(entry)], entry.kind === "intent" || entry.kind === "closed", booking);
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

/** Outcomes are still recorded if what the day has cost cannot be. */
async function writeBooked<Day>(
  { lines, intents, isLasting }: PendingLines,
  booking: Booking,
  { write, book }: Pick<LineWriter<Day>, "write" | "book">,
): Promise<void> {
  if (book === undefined) throw new Error("nobody pays for what is not recorded");
  let granted: readonly number[] | undefined;
  let cause: unknown;
  const writeGranted = async (day?: Day) => {
    const admitted = intents.slice(0, booking.granted());
    const last = admitted.length === 0 ? [] : [encodeEntry({ kind: "intent", indexes: admitted })];
    try {
      const isWritten = await write([...lines, ...last], isLasting || last.length > 0, day);
      if (isWritten) granted = admitted;
      return isWritten;
    } catch (error) {
      cause = error;
      throw error;
    }
  };
  try {
    await book(booking, writeGranted);
  } catch (error) {
    if (cause !== undefined || !(error instanceof SmsError)) throw cause ?? error;
    booking.fail(error);
    if (granted === undefined) await write(lines, isLasting);
    else if (granted.length > 0) await write([encodeEntry({ kind: "released", indexes: granted })], true);
  }
}

function newBatch(): PendingLines {
  let resolve: () => void = () => {};
  let reject: (error: SmsError) => void = () => {};
  const settled = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { lines: [], intents: [], booking: undefined, isLasting: false, settled, resolve, reject };
}
