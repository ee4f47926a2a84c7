/** A set of numbers by their keys. A million take 16 MB, where a `Set` takes twice that. */
export class NumberSet {
  #slots: Float64Array;
  #size = 0;

  /** `expected` is how many numbers it will have at least. */
  constructor(expected = 0) {
    this.#slots = slotsFor(expected);
  }

  get size(): number {
    return this.#size;
  }

  has(key: number): boolean {
    return this.#slots[slotOf(this.#slots, key)] === key;
  }

  /** Adds a number. Returns false if it was there. */
  add(key: number): boolean {
    const slot = slotOf(this.#slots, key);
    if (this.#slots[slot] === key) return false;
    this.#slots[slot] = key;
    this.#size++;
    if (this.#size * 1.5 > this.#slots.length) this.#grow();
    return true;
  }

  #grow(): void {
    const before = this.#slots;
    this.#slots = new Float64Array(before.length * 2);
    for (const key of before) if (key !== 0) this.#slots[slotOf(this.#slots, key)] = key;
  }
}

/** The line on which each number was first, by its key. A million take 24 MB, which no garbage collection looks at. */
export class NumberLines {
  #slots = slotsFor(0);
  #lines = new Int32Array(this.#slots.length);
  #size = 0;

  /** Returns the line of a number, undefined if it has none. */
  get(key: number): number | undefined {
    const slot = slotOf(this.#slots, key);
    return this.#slots[slot] === key ? this.#lines[slot] : undefined;
  }

  set(key: number, line: number): void {
    const slot = slotOf(this.#slots, key);
    if (this.#slots[slot] !== key) this.#size++;
    this.#slots[slot] = key;
    this.#lines[slot] = line;
    if (this.#size * 1.5 > this.#slots.length) this.#grow();
  }

  #grow(): void {
    const [slots, lines] = [this.#slots, this.#lines];
    this.#slots = new Float64Array(slots.length * 2);
    this.#lines = new Int32Array(slots.length * 2);
    for (const [before, key] of slots.entries()) {
      if (key === 0) continue;
      const slot = slotOf(this.#slots, key);
      this.#slots[slot] = key;
      this.#lines[slot] = lines[before] ?? 0;
    }
  }
}

function slotsFor(expected: number): Float64Array {
  let slots = 16;
  while (slots < expected * 1.5) slots *= 2;
  return new Float64Array(slots);
}

/** Returns the slot of a key, or the free one where it belongs. No key is 0. */
function slotOf(slots: Float64Array, key: number): number {
  const last = slots.length - 1;
  const low = key >>> 0;
  const high = (key - low) / 0x1_0000_0000;
  // The upper bits of the product depend on all bits of the key.
  let slot = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> Math.clz32(last);
  while (slots[slot] !== 0 && slots[slot] !== key) slot = (slot + 1) & last;
  return slot;
}
