import type { Journal } from "./journal.ts";
import { encodeEntry, type JournalEntry } from "./journal-entry.ts";
import type { Ledger } from "./ledger.ts";

/** The way of entries into the ledger and the journal, and how many are still on it. */
export class Recording {
  readonly #ledger: Ledger;
  readonly #journal: Pick<Journal, "write" | "writeLasting">;
  readonly #onFailure: (error: unknown) => void;
  #pending = 0;

  constructor(
    ledger: Ledger,
    journal: Pick<Journal, "write" | "writeLasting">,
    onFailure: (error: unknown) => void,
  ) {
    this.#ledger = ledger;
    this.#journal = journal;
    this.#onFailure = onFailure;
  }

  /** Entries that are not in the file yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Takes an entry in; `done` is told once it is in the file, an intent lastingly, or once that failed. */
  add(entry: JournalEntry, done: (isRecorded: boolean) => void): void {
    this.#ledger.apply(entry);
    this.#pending++;
    const line = encodeEntry(entry);
    const written = entry.kind === "intent" ? this.#journal.writeLasting(line) : this.#journal.write(line);
    const finish = (isRecorded: boolean) => {
      this.#pending--;
      done(isRecorded);
    };
    written.then(
      () => finish(true),
      (error: unknown) => {
        this.#onFailure(error);
        finish(false);
      },
    );
  }
}
