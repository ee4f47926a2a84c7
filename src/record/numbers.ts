/** A growing list of numbers, 8 bytes each: a history has too many of them for objects. */
export class Numbers {
  #values = new Float64Array(1024);
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(value: number): void {
    if (this.#length === this.#values.length) {
      const larger = new Float64Array(2 * this.#length);
      larger.set(this.#values);
      this.#values = larger;
    }
    this.#values[this.#length++] = value;
  }

  /** The number at a place that is in the list. */
  at(index: number): number {
    return this.#values[index] ?? 0;
  }

  /** The places of all numbers, in the order of the numbers; of equal ones, the first place first. */
  order(): Uint32Array {
    return Uint32Array.from({ length: this.#length }, (_, index) => index).sort(
      (a, b) => this.at(a) - this.at(b) || a - b,
    );
  }
}
