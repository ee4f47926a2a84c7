import { type SmsError, usageError } from "../errors.ts";
import type { RowFault } from "./row.ts";

/** The most faults that are shown; the others are counted. */
const mostShown = 20;

/** Gathers the faults of a source, keeping the first 20 and counting the others. */
export class Faults {
  #count = 0;
  readonly #shown: RowFault[] = [];

  add(fault: RowFault): void {
    this.#count++;
    if (this.#shown.length < mostShown) this.#shown.push(fault);
  }

  get count(): number {
    return this.#count;
  }

  /** The first 20, in the order in which they were added. */
  get shown(): readonly RowFault[] {
    return this.#shown;
  }

  /**
   * A usage error `INVALID_RECIPIENTS` whose details name the lines and says how many more there are; its hint is that of the first
   * fault that has one. `name` is what people call the source.
   */
  toUsageError(name: string): SmsError {
    const listed = this.#shown.map(({ line, reason }) => `line ${line}: ${reason}`);
    const more = this.#count - this.#shown.length;
    if (more > 0) listed.push(`and ${more} more`);
    const rows = this.#count === 1 ? "1 row" : `${this.#count} rows`;
    const hint = this.#shown.find((fault) => fault.hint !== undefined)?.hint;
    return usageError("INVALID_RECIPIENTS", `${rows} of ${name} cannot be used`, hint, listed);
  }
}
