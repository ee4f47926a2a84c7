/** Reads ahead in a sequence, so that its next item is at hand without waiting. */
export class Upcoming<Item> {
  readonly #source: AsyncIterator<Item>;
  readonly #most: number;
  readonly #onRead: (error: unknown) => void;
  readonly #items: Item[] = [];
  #isReading = false;
  #isReadOut = false;

  /** Holds at most `most` items. `onRead` is called whenever more were read, or the end, or with what went wrong. */
  constructor(source: AsyncIterable<Item>, most: number, onRead: (error: unknown) => void) {
    this.#source = source[Symbol.asyncIterator]();
    this.#most = most;
    this.#onRead = onRead;
  }

  /** The next item; undefined where none is at hand. */
  peek(): Item | undefined {
    if (this.#items.length <= this.#most / 2) void this.#read();
    return this.#items[0];
  }

  /** Passes over the next item. */
  shift(): void {
    this.#items.shift();
  }

  /** Whether the sequence is at its end, and all of it was taken. */
  get isDone(): boolean {
    return this.#isReadOut && this.#items.length === 0;
  }

  /** Reads no more. */
  async close(): Promise<void> {
    this.#isReadOut = true;
    await this.#source.return?.();
  }

  async #read(): Promise<void> {
    if (this.#isReading || this.#isReadOut) return;
    this.#isReading = true;
    try {
      while (this.#items.length < this.#most && !this.#isReadOut) {
        const { done, value } = await this.#source.next();
        if (done === true) this.#isReadOut = true;
        else this.#items.push(value);
      }
      this.#isReading = false;
      this.#onRead(undefined);
    } catch (error) {
      this.#isReadOut = true;
      this.#onRead(error);
    }
  }
}
