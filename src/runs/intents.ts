import type { Attempt } from "./backlog.ts";
import type { JournalEntry, ResultEntry } from "../record/journal-entry.ts";
import type { Ledger } from "../record/ledger.ts";
import type { RunWriter } from "../record/runs.ts";

/** The tries whose intent is on the disk and whose request has not begun. Each would be uncertain after a kill. */
export class Intents {
  readonly #recording: Pick<Recording, "intend" | "withdraw">;
  readonly #onTakenBack: () => void;
  readonly #ready: Attempt[] = [];
  #isRecording = false;

  /** `onTakenBack` is called when intents that were taken back are in the file. */
  constructor(recording: Pick<Recording, "intend" | "withdraw">, onTakenBack: () => void) {
    this.#recording = recording;
    this.#onTakenBack = onTakenBack;
  }

  /** Whether an intent is on its way to the disk. There is one at a time, so that a flush serves many messages. */
  get isRecording(): boolean {
    return this.#isRecording;
  }

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

  record(attempts: readonly Attempt[], done: () => void): void {
    this.#isRecording = true;
    const indexes = attempts.map(({ message }) => message.index);
    this.#recording.intend(indexes, () => {
      this.#isRecording = false;
      this.#ready.push(...attempts);
      done();
    });
  }

  release(): readonly Attempt[] {
    const released = this.#ready.splice(0);
    this.takeBack(released);
    return released;
  }

  takeBack(attempts: readonly Attempt[]): void {
    const indexes = attempts.map(({ message }) => message.index);
    if (indexes.length > 0) this.#recording.withdraw(indexes, this.#onTakenBack);
  }
}

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
