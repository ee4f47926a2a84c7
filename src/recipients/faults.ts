import { lineText } from "../core/line.ts";
import { type SmsError, usageError } from "../errors.ts";
import type { RowFault } from "./row.ts";

const maxKept = 20;

/** Keeps the first 20 faults of a source and counts the rest. */
export class Faults {
  #count = 0;
  readonly #kept: RowFault[] = [];

  add(fault: RowFault): void {
    this.#count++;
    if (this.#kept.length < maxKept) this.#kept.push(fault);
  }

  get count(): number {
    return this.#count;
  }

  /** A usage error `INVALID_RECIPIENTS` that lists the kept faults by line, with the first hint among them. */
  toUsageError(name: string): SmsError {
    const details = this.#kept.map(({ line, reason }) => `${lineText(line)}: ${reason}`);
    const more = this.#count - this.#kept.length;
    if (more > 0) details.push(`and ${more.toLocaleString("en")} more`);
    const rows = this.#count === 1 ? "1 row" : `${this.#count.toLocaleString("en")} rows`;
    const hint = this.#kept.find((fault) => fault.hint !== undefined)?.hint;
    return usageError("INVALID_RECIPIENTS", `${rows} of ${name} cannot be used`, hint, details);
  }
}
