import type { Journal } from "./journal.ts";
import { encodeEntry, type JournalEntry } from "./journal-entry.ts";
import type { Ledger } from "./ledger.ts";
import type { RunParts } from "./run-parts.ts";

/** Applies entries to the ledger and writes them to the journal, with the time whenever it has changed. */
export class Recording {
  readonly #ledger: Ledger;
  readonly #journal: Pick<Journal, "write" | "writeLasting">;
  readonly #now: () => number;
  readonly #onFailure: (error: unknown) => void;
  #pending = 0;
  #at: number | undefined;

  constructor(
    { ledger, journal, now }: Pick<RunParts, "ledger" | "journal" | "now">,
    onFailure: (error: unknown) => void,
  ) {
    this.#ledger = ledger;
    this.#journal = journal;
    this.#now = now;
    this.#onFailure = onFailure;
  }

  /** Entries that are not in the file yet. */
  get pending(): number {
    return this.#pending;
  }

  /** Adds an entry. `done` is called when the entry is in the file (an intent: flushed to the disk) or when that failed. */
  add(entry: JournalEntry, done: () => void): void {
    this.#ledger.apply(entry);
    this.#pending++;
    const line = this.#time() + encodeEntry(entry);
    const written = entry.kind === "intent" ? this.#journal.writeLasting(line) : this.#journal.write(line);
    const finish = () => {
      this.#pending--;
      done();
    };
    written.then(finish, (error: unknown) => {
      this.#onFailure(error);
      finish();
    });
  }

  /** Returns the line with the time if it is another millisecond than that of the entry before. */
  #time(): string {
    const at = Math.floor(this.#now());
    if (at === this.#at) return "";
    this.#at = at;
    return encodeEntry({ kind: "time", at });
  }
}
