import type { Ledger } from "../record/ledger.ts";
import type { RunEntry, RunWriter } from "../record/runs.ts";

/** Where a run is recorded: in memory and on the disk or in the database. */
export interface RecordingParts {
  readonly ledger: Ledger;
  readonly writer: Pick<RunWriter, "record">;
  /** It stands still while the machine sleeps. */
  readonly now: () => number;
  readonly wallClock: () => number;
}

/** Applies entries to the ledger and has them recorded. `done` is called when that is so, or has failed. */
export class Recording {
  readonly #parts: RecordingParts;
  readonly #onFailure: (error: unknown) => void;
  #pending = 0;

  constructor(parts: RecordingParts, onFailure: (error: unknown) => void) {
    this.#parts = parts;
    this.#onFailure = onFailure;
  }

  get pending(): number {
    return this.#pending;
  }

  add(entry: RunEntry, done: () => void): void {
    const { ledger, writer, now, wallClock } = this.#parts;
    ledger.apply(entry);
    this.#pending++;
    const finish = () => {
      this.#pending--;
      done();
    };
    // Whoever got a text after the machine woke must not seem to have it from before.
    writer.record(entry, Math.max(now(), wallClock())).then(finish, (error: unknown) => {
      this.#onFailure(error);
      finish();
    });
  }
}
