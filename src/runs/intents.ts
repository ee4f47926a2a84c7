import type { Attempt } from "./backlog.ts";
import { encodeEntry, type JournalEntry } from "../record/journal-entry.ts";
import type { Journal } from "../record/folder/journal.ts";
import type { Ledger } from "../record/ledger.ts";
import type { RunParts } from "./run-parts.ts";

/** Intents that are recorded ahead for each lane while connections are reused: a lane that waits for a flush loses its own. */
export const intentsAhead = 16;

/** The tries whose intent is on the disk and whose request has not begun. Each would be uncertain after a kill. */
export class Intents {
  readonly #recording: Recording;
  readonly #onTakenBack: () => void;
  readonly #ready: Attempt[] = [];
  #isRecording = false;

  /** `onTakenBack` is called when intents that were taken back are in the file. */
  constructor(recording: Recording, onTakenBack: () => void) {
    this.#recording = recording;
    this.#onTakenBack = onTakenBack;
  }

  /** Whether an intent is on its way to the disk. There is one at a time, so that a flush serves many messages. */
  get isRecording(): boolean {
    return this.#isRecording;
  }

  /** How many tries are ready to be sent. */
  get ready(): number {
    return this.#ready.length;
  }

  /** Takes the next try to send that is allowed now, its intent being on the disk, and takes back the intents before it. */
  take(isAllowed: (attempt: Attempt) => boolean): Attempt | undefined {
    for (let next = this.#ready[0]; next !== undefined; next = this.#ready[0]) {
      if (isAllowed(next)) return this.#ready.shift();
      // Unless the run was stopped, which has taken back all.
      if (this.#ready[0] === next) this.takeBack(this.#ready.splice(0, 1));
    }
    return undefined;
  }

  /** Records an intent for these tries, which are ready when `done` is called. */
  record(attempts: readonly Attempt[], done: () => void): void {
    this.#isRecording = true;
    const indexes = attempts.map(({ message }) => message.index);
    this.#recording.add({ kind: "intent", indexes }, () => {
      this.#isRecording = false;
      this.#ready.push(...attempts);
      done();
    });
  }

  /** Takes back the intents of all tries that are ready, and returns these tries. */
  release(): readonly Attempt[] {
    const released = this.#ready.splice(0);
    this.takeBack(released);
    return released;
  }

  /** Records that the requests of these tries never began. */
  takeBack(attempts: readonly Attempt[]): void {
    const indexes = attempts.map(({ message }) => message.index);
    if (indexes.length > 0) this.#recording.add({ kind: "released", indexes }, this.#onTakenBack);
  }
}

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
