import type { MessageCredits } from "../guards/guard.ts";
import type { Outcome } from "../message/outcome.ts";
import type { PlannedMessage } from "../record/plan.ts";

export interface Attempt {
  readonly message: PlannedMessage;
  readonly number: number;
  /** The number of answers that the run had received when the message was first tried. */
  readonly answersAtFirstTry: number;
  readonly last: Outcome | undefined;
  /** Once the intent is recorded, if a day has a limit. */
  readonly credits?: MessageCredits;
}

/** Attempts that were put back and retries come first, then the messages of the plan in order. */
export class Backlog {
  readonly #source: AsyncIterator<PlannedMessage>;
  readonly #most: number;
  readonly #onRead: (error: unknown) => void;
  readonly #returned: Attempt[] = [];
  readonly #messages: PlannedMessage[] = [];
  #isReading = false;
  #isAtEnd = false;

  /** If a read failed, `onRead` gets the error. */
  constructor(source: AsyncIterable<PlannedMessage>, most: number, onRead: (error: unknown) => void) {
    this.#source = source[Symbol.asyncIterator]();
    this.#most = most;
    this.#onRead = onRead;
  }

  get isEmpty(): boolean {
    return this.#isAtEnd && this.#messages.length + this.#returned.length === 0;
  }

  /** Undefined if no message has been read yet. */
  peek(): Pick<Attempt, "message" | "last"> | undefined {
    if (this.#messages.length <= this.#most / 2) void this.#read();
    const [message] = this.#messages;
    return this.#returned[0] ?? (message && { message, last: undefined });
  }

  take(answers: number): Attempt | undefined {
    const retry = this.#returned.shift();
    if (retry !== undefined) return retry;
    const message = this.#messages.shift();
    return message && { message, number: 1, answersAtFirstTry: answers, last: undefined };
  }

  retry(attempt: Attempt): void {
    this.#returned.push(attempt);
  }

  putBack(attempts: readonly Attempt[]): void {
    this.#returned.unshift(...attempts);
  }

  dropReturned(): readonly Attempt[] {
    return this.#returned.splice(0);
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
        const next = await this.#source.next();
        if (next.done === true) this.#isAtEnd = true;
        else this.#messages.push(next.value);
      }
      this.#isReading = false;
      this.#onRead(undefined);
    } catch (error) {
      this.#isAtEnd = true;
      this.#onRead(error);
    }
  }
}
