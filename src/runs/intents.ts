import type { Attempt } from "./backlog.ts";
import type { Recording } from "./recording.ts";

/** The tries whose intent is on the disk and whose request has not begun. Each would be uncertain after a kill. */
export class Intents {
  readonly #recording: Recording;
  readonly #ready: Attempt[] = [];
  #isRecording = false;

  constructor(recording: Recording) {
    this.#recording = recording;
  }

  /** Whether an intent is on its way to the disk. There is one at a time, so that a flush serves many messages. */
  get isRecording(): boolean {
    return this.#isRecording;
  }

  /** How many tries are ready to be sent. */
  get ready(): number {
    return this.#ready.length;
  }

  /** Takes the next try to send. */
  take(): Attempt | undefined {
    return this.#ready.shift();
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
  release(done: () => void): readonly Attempt[] {
    const released = this.#ready.splice(0);
    if (released.length > 0) {
      const indexes = released.map(({ message }) => message.index);
      this.#recording.add({ kind: "released", indexes }, done);
    }
    return released;
  }
}
