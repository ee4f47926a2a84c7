import type { Attempt } from "./backlog.ts";
import type { Recording } from "./recording.ts";

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
