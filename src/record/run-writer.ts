import { SmsError } from "../errors.ts";
import { encodeEntry } from "./journal-entry.ts";
import { notRecorded, type RunWriter } from "./runs.ts";
import type { Booking } from "./spending.ts";

interface WriteAnswer {
  /** False if another process has changed the day meanwhile: then nothing was written. */
  readonly isBooked: boolean;
}

interface LineWriter<Day, Answer extends WriteAnswer> {
  /** An error names this, such as "record run topup". */
  readonly what: string;
  /** Lines that are `lasting` survive a power cut when this resolves. */
  readonly write: (lines: readonly string[], isLasting: boolean, day?: Day) => Promise<Answer>;
  /** Changes the day in one step with `write`, which is called again if the day has changed meanwhile. */
  readonly book?: (booking: Booking, write: (day?: Day) => Promise<Answer>) => Promise<void>;
  readonly close?: () => void;
}

interface PendingLines {
  readonly lines: string[];
  /** Their entry comes last, and has only those that the booking admits. */
  intents: readonly number[];
  booking: Booking | undefined;
  isLasting: boolean;
  readonly end: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: SmsError) => void;
}

type Addition = Pick<PendingLines, "lines" | "isLasting"> & Partial<Pick<PendingLines, "booking" | "intents">>;

/** One flush serves many lines. After a failure nothing more is written, since a later success proves nothing. */
export function runWriter<Day, Answer extends WriteAnswer>(writer: LineWriter<Day, Answer>): RunWriter {
  const { what, write, close = () => {} } = writer;
  let gathering: PendingLines | undefined;
  let writing: Promise<void> | undefined;
  let failure: SmsError | undefined;
  let lastAt: number | undefined;

  const add = ({ lines, isLasting, booking, intents = [] }: Addition): Promise<void> => {
    if (failure !== undefined) return Promise.reject(failure);
    const batch = (gathering ??= newBatch());
    batch.lines.push(...lines);
    batch.isLasting ||= isLasting;
    if (intents.length > 0) batch.intents = intents;
    // Any booking has all that was spent by then, so a batch needs one; that of the intents also reserves.
    if (intents.length > 0 || batch.booking === undefined) batch.booking = booking;
    writing ??= writeBatches();
    return batch.end;
  };
  const takeBatch = () => {
    const batch = gathering;
    gathering = undefined;
    return batch;
  };
  const writeBatches = async () => {
    // Everything from this turn of the event loop goes into the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    for (let batch = takeBatch(); batch !== undefined; batch = takeBatch()) {
      try {
        if (batch.booking === undefined) await write(batch.lines, batch.isLasting);
        else await writeBooked(batch, batch.booking, writer);
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
  return {
    record: (entry, at, booking) => {
      const time = Math.floor(at);
      const lines = time === lastAt ? [] : [encodeEntry({ kind: "time", at: time })];
      lastAt = time;
      if (entry.kind === "intent" && booking !== undefined)
        return add({ lines, isLasting: false, booking, intents: entry.indexes });
      const isLasting = entry.kind === "intent" || entry.kind === "closed";
      return add({ lines: [...lines, encodeEntry(entry)], isLasting, booking });
    },
    close: async () => {
      try {
        await add({ lines: [], isLasting: true });
      } finally {
        await writing;
        close();
      }
    },
  };
}

/** Throws if the lines cannot be written. If the day cannot be, no intent is granted, and all other lines are written. */
async function writeBooked<Day, Answer extends WriteAnswer>(
  { lines, intents, isLasting }: PendingLines,
  booking: Booking,
  { write, book }: LineWriter<Day, Answer>,
): Promise<void> {
  if (book === undefined) throw new Error("nobody pays for what is not recorded");
  let granted: readonly number[] | undefined;
  let failure: unknown;
  const writeGranted = async (day?: Day) => {
    const indexes = intents.slice(0, booking.granted());
    const last = indexes.length === 0 ? [] : [encodeEntry({ kind: "intent", indexes })];
    try {
      const answer = await write([...lines, ...last], isLasting || last.length > 0, day);
      if (answer.isBooked) granted = indexes;
      return answer;
    } catch (error) {
      failure = error;
      throw error;
    }
  };
  try {
    await book(booking, writeGranted);
  } catch (error) {
    if (failure !== undefined || !(error instanceof SmsError)) throw failure ?? error;
    booking.fail(error);
    if (granted === undefined) await write(lines, isLasting);
    else if (granted.length > 0) await write([encodeEntry({ kind: "withdrawn", indexes: granted })], true);
  }
}

function newBatch(): PendingLines {
  let resolve: () => void = () => {};
  let reject: (error: SmsError) => void = () => {};
  const end = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { lines: [], intents: [], booking: undefined, isLasting: false, end, resolve, reject };
}
