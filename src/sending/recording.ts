import type { JournalEntry, ResultEntry } from "../record/journal-entry.ts";
import type { Ledger } from "../record/ledger.ts";
import type { RunWriter } from "../record/runs.ts";

/** Where a run is recorded: in memory and on the disk or in the database. */
export interface RecordingParts {
  readonly ledger: Ledger;
  readonly writer: Pick<RunWriter, "intend" | "withdraw" | "settle">;
  /** Milliseconds since 1970. */
  readonly now: () => number;
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

  intend(indexes: readonly number[], done: () => void): void {
    this.#add({ kind: "intent", indexes }, (writer, now) => writer.intend(indexes, now), done);
  }

  withdraw(indexes: readonly number[], done: () => void): void {
    this.#add({ kind: "released", indexes }, (writer, now) => writer.withdraw(indexes, now), done);
  }

  settle(result: ResultEntry, done: () => void): void {
    this.#add(result, (writer, now) => writer.settle(result, now), done);
  }

  #add(
    entry: JournalEntry,
    record: (writer: RecordingParts["writer"], now: number) => Promise<void>,
    done: () => void,
  ): void {
    const { ledger, writer, now } = this.#parts;
    ledger.apply(entry);
    this.#pending++;
    const finish = () => {
      this.#pending--;
      done();
    };
    record(writer, now()).then(finish, (error: unknown) => {
      this.#onFailure(error);
      finish();
    });
  }
}
