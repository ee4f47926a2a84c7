import { hash } from "node:crypto";
import type { Message } from "../message/fields.ts";

/** The words of a hash. */
const width = 4;

/**
 * Returns the hash of a number and a text, in hexadecimal. Its 128 bits are enough against somebody who looks for two texts of one
 * hash, by which a recipient would be left out; of 64 bits a laptop finds such texts in a day.
 */
export function messageHash({ to, text }: Pick<Message, "to" | "text">): string {
  return hash("sha256", `${to}\n${text}`).slice(0, 8 * width);
}

/** Messages by their hashes, each with its index in a plan. A million take 30 MB, whatever their texts. */
export class MessageSet {
  #words = new Uint32Array(16 * width);
  #indexes = new Int32Array(16);
  /** The place of a message, from 1, where its hash leads; 0 where there is none. */
  #slots = new Int32Array(32);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  add(message: Pick<Message, "to" | "text">, index: number): void {
    if (this.#size === this.#indexes.length) this.#grow();
    const place = this.#size++;
    this.#words.set(wordsOf(messageHash(message)), place * width);
    this.#indexes[place] = index;
    this.#link(place);
  }

  indexOf(message: Pick<Message, "to" | "text">): number | undefined {
    const words = wordsOf(messageHash(message));
    for (let slot = this.#slotOf(words[0]); ; slot = (slot + 1) % this.#slots.length) {
      const place = (this.#slots[slot] ?? 0) - 1;
      if (place < 0) return undefined;
      if (words.every((word, at) => this.#words[place * width + at] === word)) return this.#indexes[place];
    }
  }

  /** Yields the hashes and indexes of so many messages at a time. */
  *batches(size: number): Generator<{ readonly hashes: readonly string[]; readonly indexes: readonly number[] }> {
    for (let start = 0; start < this.#size; start += size) {
      const places = Array.from({ length: Math.min(size, this.#size - start) }, (_, at) => start + at);
      yield {
        hashes: places.map((place) => hexOf(this.#words.subarray(place * width, (place + 1) * width))),
        indexes: places.map((place) => this.#indexes[place] ?? 0),
      };
    }
  }

  #slotOf(word = 0): number {
    return word % this.#slots.length;
  }

  #link(place: number): void {
    let slot = this.#slotOf(this.#words[place * width]);
    while (this.#slots[slot] !== 0) slot = (slot + 1) % this.#slots.length;
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

function wordsOf(hex: string): readonly number[] {
  const words: number[] = [];
  for (let start = 0; start < hex.length; start += 8) words.push(Number.parseInt(hex.slice(start, start + 8), 16));
  return words;
}

function hexOf(words: Uint32Array): string {
  let hex = "";
  for (const word of words) hex += word.toString(16).padStart(8, "0");
  return hex;
}
