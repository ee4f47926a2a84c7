/** E.164 fits a double, which takes a quarter of the memory of its text. */
export function numberKey(e164: string): number {
  return Number(e164);
}

/** A million numbers take 24 MB that no garbage collection looks at. */
export class NumberSet {
  #slots = new Float64Array(16);
  #lines = new Int32Array(16);
  #size = 0;

  get size(): number {
    return this.#size;
  }

  has(key: number): boolean {
    return this.#slots[slotOf(this.#slots, key)] === key;
  }

  lineOf(key: number): number | undefined {
    const slot = slotOf(this.#slots, key);
    return this.#slots[slot] === key ? this.#lines[slot] : undefined;
  }

  add(key: number, line = 0): boolean {
    const slot = slotOf(this.#slots, key);
    if (this.#slots[slot] === key) return false;
    this.#slots[slot] = key;
    // A set without lines never touches their memory.
    if (line !== 0) this.#lines[slot] = line;
    this.#size++;
    if (this.#size * 1.5 > this.#slots.length) this.#grow();
    return true;
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

/** No key is 0, so that 0 marks a free slot. */
function slotOf(slots: Float64Array, key: number): number {
  const last = slots.length - 1;
  const low = key >>> 0;
  const high = (key - low) / 0x1_0000_0000;
  // The upper bits of the product depend on all bits of the key.
  let slot = Math.imul(low ^ Math.imul(high, 0x85ebca6b), 0x9e3779b1) >>> Math.clz32(last);
  while (slots[slot] !== 0 && slots[slot] !== key) slot = (slot + 1) & last;
  return slot;
}
