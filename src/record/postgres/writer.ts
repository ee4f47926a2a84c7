import type { SmsError } from "../../errors.ts";
import { encodeEntry, type JournalEntry, type ResultEntry } from "../journal-entry.ts";
import { notRecorded, type RunWriter } from "../runs.ts";
import type { Query } from "./database.ts";

/** A run, the token of who holds it, and the session that has the lock of the token. */
export interface Held {
  readonly id: number;
  readonly name: string;
  readonly token: string;
  readonly query: Query;
}

/** Lines that are committed together, and the promise for them. */
interface Batch {
  readonly lines: string[];
  readonly settled: Promise<void>;
  readonly resolve: () => void;
  readonly reject: (error: SmsError) => void;
}

/**
 * Appends to the journal of a run. One statement changes the row of the run, if the token is still ours, and adds the lines: so
 * whoever takes a new token waits for a statement before, and lets none behind. Lines gather while the batch before them is
 * committed. After the first failure nothing more is written, since that batch may have been committed or not.
 */
export function openWriter(held: Held): RunWriter {
  let gathering: Batch | undefined;
  let writing: Promise<void> | undefined;
  let failure: SmsError | undefined;
  let lastAt: number | undefined;

  const append = (lines: readonly string[]): Promise<void> => {
    if (failure !== undefined) return Promise.reject(failure);
    gathering ??= newBatch();
    gathering.lines.push(...lines);
    const { settled } = gathering;
    writing ??= writeBatches();
    return settled;
  };
  const add = (entry: JournalEntry, at: number): Promise<void> => {
    const time = Math.floor(at);
    const lines = time === lastAt ? [] : [encodeEntry({ kind: "time", at: time })];
    lastAt = time;
    return append([...lines, encodeEntry(entry)].map((line) => line.trimEnd()));
  };
  const writeBatches = async () => {
    // Everything from this turn of the event loop goes into the first batch.
    await new Promise((resolve) => setImmediate(resolve));
    while (gathering !== undefined) {
      const batch = gathering;
      gathering = undefined;
      try {
        await appendLines(held, batch.lines);
        batch.resolve();
        // Lets those who waited add their lines to the next batch.
        await Promise.resolve();
      } catch (error) {
        failure = notRecorded(`record run ${held.name}`, error);
        batch.reject(failure);
        takeGathering()?.reject(failure);
      }
    }
    writing = undefined;
  };
  const takeGathering = () => {
    const batch = gathering;
    gathering = undefined;
    return batch;
  };
  return {
    intend: (indexes, at) => add({ kind: "intent", indexes }, at),
    withdraw: (indexes, at) => add({ kind: "released", indexes }, at),
    settle: (result: ResultEntry, at) => add(result, at),
    end: (at) => add({ kind: "summary" }, at),
    close: () => append([]),
  };
}

/** Adds lines to the journal in one statement. Throws if the run is no longer ours. */
async function appendLines({ id, token, query }: Held, lines: readonly string[]): Promise<void> {
  const [row] = await query<{ held: number }>(
    `with held as (
      update sms.runs set written = now(), seen = now(), entries = entries + cardinality($3::text[])
      where id = $1 and token = $2 returning id, entries - cardinality($3::text[]) as before
    ), added as (
      insert into sms.journal (run, entry, token, line)
      select held.id, held.before + number - 1, $2, line from held, unnest($3::text[]) with ordinality as lines (line, number)
    ) select count(*)::int as held from held`,
    [id, token, lines],
  );
  if (row?.held !== 1) throw new Error(lost);
}

export const lost = "another command holds the run now";

function newBatch(): Batch {
  let resolve: () => void = () => {};
  let reject: (error: SmsError) => void = () => {};
  const settled = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { lines: [], settled, resolve, reject };
}
