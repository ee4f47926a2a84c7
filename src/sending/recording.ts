import type { Ledger } from "../record/ledger.ts";
import type { RunEntry, RunWriter } from "../record/runs.ts";

export interface RecordingParts {
  readonly ledger: Ledger;
  readonly writer: Pick<RunWriter, "record">;
  /** `now()` stops while the machine sleeps. */
  readonly now: () => number;
  readonly wallClock: () => number;
}

/** `done` is called when an entry is recorded, or when that has failed. */
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
    // If somebody got a text after the machine woke, the text must not seem to be from before.
    writer.record(entry, Math.max(now(), wallClock())).then(finish, (error: unknown) => {
      this.#onFailure(error);
      finish();
    });
  }
}
