import type { Outcome } from "../message/outcome.ts";
import type { PlannedMessage } from "../record/plan.ts";

export interface Attempt {
  readonly message: PlannedMessage;
  readonly number: number;
  /** How many answers the run had received when the message was first tried. */
  readonly answersBefore: number;
  readonly last: Outcome | undefined;
}

/** The tries that are still to be made: retries first, then the messages of the plan in order, of which it reads some ahead. */
export class Backlog {
  readonly #source: AsyncIterator<PlannedMessage>;
  readonly #most: number;
  readonly #onRead: (error: unknown) => void;
  readonly #retries: Attempt[] = [];
  readonly #messages: PlannedMessage[] = [];
  #isReading = false;
  #isAtEnd = false;

  /** Reads at most `most` messages ahead. `onRead` is called after each read: with the error if reading failed. */
  constructor(source: AsyncIterable<PlannedMessage>, most: number, onRead: (error: unknown) => void) {
    this.#source = source[Symbol.asyncIterator]();
    this.#most = most;
    this.#onRead = onRead;
  }

  get isEmpty(): boolean {
    return this.#isAtEnd && this.#messages.length + this.#retries.length === 0;
  }

  /** The message of the next try and the outcome of the one before; undefined if none has been read yet. */
  peek(): Pick<Attempt, "message" | "last"> | undefined {
    if (this.#messages.length <= this.#most / 2) void this.#read();
    const [message] = this.#messages;
    return this.#retries[0] ?? (message && { message, last: undefined });
  }

  /** Takes the next try. `answers` is how many answers the run has received so far. */
  take(answers: number): Attempt | undefined {
    const retry = this.#retries.shift();
    if (retry !== undefined) return retry;
    const message = this.#messages.shift();
    return message && { message, number: 1, answersBefore: answers, last: undefined };
  }

  retry(attempt: Attempt): void {
    this.#retries.push(attempt);
  }

  /** Puts tries that were taken and not made back to the front. */
  putBack(attempts: readonly Attempt[]): void {
    this.#retries.unshift(...attempts);
  }

  dropRetries(): readonly Attempt[] {
    return this.#retries.splice(0);
  }

  async close(): Promise<void> {
    this.#isAtEnd = true;
    await this.#source.return?.();
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.#isAtEnd) return;
    this.#isReading = true;
    try {
      while (this.#messages.length < this.#most && !this.#isAtEnd) {
        const { done, value } = await this.#source.next();
        if (done === true) this.#isAtEnd = true;
        else this.#messages.push(value);
      }
      this.#isReading = false;
      this.#onRead(undefined);
    } catch (error) {
      this.#isAtEnd = true;
      this.#onRead(error);
    }
  }
}
