const blockRows = 4096;

/** Rows of so many numbers each, which take a tenth of the memory of objects. Each row has its place, from 0. */
export class NumberRows {
  readonly #columns: number;
  readonly #blocks: Float64Array[] = [];
  #length = 0;

  constructor(columns: number) {
    this.#columns = columns;
  }

  get length(): number {
    return this.#length;
  }

  push(...row: readonly number[]): void {
    const place = this.#length++;
    if (place % blockRows === 0) this.#blocks.push(new Float64Array(blockRows * this.#columns));
    this.#blocks.at(-1)?.set(row, (place % blockRows) * this.#columns);
  }

  at(place: number, column: number): number {
    return this.#blocks[Math.floor(place / blockRows)]?.[(place % blockRows) * this.#columns + column] ?? NaN;
  }

  /** Returns the places in the order of a column; rows that are equal there stay in their order. */
  orderBy(column: number): Uint32Array {
    const places = new Uint32Array(this.#length).map((_, place) => place);
    return places.sort((a, b) => this.at(a, column) - this.at(b, column) || a - b);
  }
}
