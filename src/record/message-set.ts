import { hash } from "node:crypto";
import type { Message } from "../message/fields.ts";

const width = 4;
const byteWidth = 4 * width;

/** A laptop finds two texts with one 64-bit hash in a day, which would leave a recipient out; 128 bits are safe. */
export function messageHash({ to, text }: Pick<Message, "to" | "text">): string {
  return hash("sha256", `${to}\n${text}`).slice(0, 2 * byteWidth);
}

/** A million messages take 30 MB, also with long texts. */
export class MessageSet {
  #words = new Uint32Array(16 * width);
  #indexes = new Int32Array(16);
  /** Places count from 1; 0 is an empty slot. */
  #slots = new Int32Array(32);
  #size = 0;
  readonly #current = new Uint32Array(width);
  readonly #currentBytes = Buffer.from(this.#current.buffer);

  get size(): number {
    return this.#size;
  }

  add(message: Pick<Message, "to" | "text">, index: number): void {
    if (this.#size === this.#indexes.length) this.#grow();
    this.#currentBytes.write(messageHash(message), "hex");
    this.#words.set(this.#current, this.#size * width);
    this.#indexes[this.#size] = index;
    this.#link(this.#size++);
  }

  has(message: Pick<Message, "to" | "text">): boolean {
    return this.indexesOf(message).next().done === false;
  }

  /** Two rows for one number may have one text, each with a sender of its own. */
  *indexesOf(message: Pick<Message, "to" | "text">): Generator<number, undefined> {
    this.#currentBytes.write(messageHash(message), "hex");
    const last = this.#slots.length - 1;
    for (let slot = (this.#current[0] ?? 0) & last; ; slot = (slot + 1) & last) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place < 0) return undefined;
      if (this.#isCurrent(place * width)) yield this.#indexes[place] ?? 0;
    }
  }

  *batches(size: number): Generator<{ readonly hashes: readonly string[]; readonly indexes: readonly number[] }> {
    const bytes = Buffer.from(this.#words.buffer);
    for (let start = 0; start < this.#size; start += size) {
      const places = Array.from({ length: Math.min(size, this.#size - start) }, (_, at) => start + at);
      yield {
        hashes: places.map((place) => bytes.toString("hex", place * byteWidth, (place + 1) * byteWidth)),
        indexes: places.map((place) => this.#indexes[place] ?? 0),
      };
    }
  }

  #isCurrent(start: number): boolean {
    for (let at = 0; at < width; at++) if (this.#words[start + at] !== this.#current[at]) return false;
    return true;
  }

  #link(place: number): void {
    const last = this.#slots.length - 1;
    let slot = (this.#words[place * width] ?? 0) & last;
    while (this.#slots[slot] !== 0) slot = (slot + 1) & last;
    this.#slots[slot] = place + 1;
  }

  #grow(): void {
    const [words, indexes] = [this.#words, this.#indexes];
    this.#words = new Uint32Array(words.length * 2);
    this.#words.set(words);
    this.#indexes = new Int32Array(indexes.length * 2);
    this.#indexes.set(indexes);
    this.#slots = new Int32Array(indexes.length * 4);
    for (let place = 0; place < this.#size; place++) this.#link(place);
  }
}
