/** A set of numbers by their keys. A million take 16 MB, where a `Set` takes twice that. */
export class NumberSet {
  #slots: Float64Array;
  #size = 0;

  /** `expected` is how many numbers it will have at least. */
  constructor(expected = 0) {
    let slots = 16;
    while (slots < expected * 1.5) slots *= 2;
    this.#slots = new Float64Array(slots);
  }

  get size(): number {
    return this.#size;
  }

  has(key: number): boolean {
    return this.#slots[this.#slotOf(key)] === key;
  }

  /** Adds a number. Returns false if it was there. */
  add(key: number): boolean {
    const slot = this.#slotOf(key);
    if (this.#slots[slot] === key) return false;
    this.#slots[slot] = key;
    this.#size++;
    if (this.#size * 1.5 > this.#slots.length) this.#grow();
    return true;
  }

  /** Returns the slot of a key, or the free one where it belongs. No key is 0. */
  #slotOf(key: number): number {
    const last = this.#slots.length - 1;
    const low = key >>> 0;
    const high = (key - low) / 0x1_0000_0000;
    // The upper bits of the product depend on all bits of the key.
    let slot = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> Math.clz32(last);
    while (this.#slots[slot] !== 0 && this.#slots[slot] !== key) slot = (slot + 1) & last;
    return slot;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const key of before) if (key !== 0) this.#slots[this.#slotOf(key)] = key;
  }
}
