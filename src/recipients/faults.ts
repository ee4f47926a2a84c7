import { lineText } from "../message/line.ts";
import { type SmsError, usageError } from "../errors.ts";
import { quoted, type RowFault } from "./row.ts";

const maxKept = 20;

/** Returns a fault, or a row that was left out for one, with a better reason if its number was refused. */
export async function explained<Fault extends Pick<RowFault, "reason" | "hint" | "refused">>(
  fault: Fault,
): Promise<Fault> {
  if (fault.refused === undefined) return fault;
  const { text, country } = fault.refused;
  const { explainNumber } = await import("../message/number-fault.ts");
  const { reason, hint } = explainNumber(text, country?.());
  return {
    ...fault,
    ...(reason !== undefined && { reason: refusalText(text, reason) }),
    ...(hint !== undefined && { hint }),
  };
}

/** Returns the sentence for a number that is refused. */
export function refusalText(to: string, reason: string): string {
  return to.trim() === "" ? reason : `${quoted(to)} cannot be read: ${reason}`;
}

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

  /** A usage error `INVALID_RECIPIENTS` that lists the kept faults by line, with the first hint among them. Without a name they are of --to. */
  async toUsageError(name: string | undefined): Promise<SmsError> {
    const kept = await Promise.all(this.#kept.map(explained));
    const details = kept.map(({ line, reason }) => `${lineText(line, name !== undefined)}: ${reason}`);
    const more = this.#count - kept.length;
    if (more > 0) details.push(`and ${more.toLocaleString("en")} more`);
    const noun = `${name === undefined ? "number" : "row"}${this.#count === 1 ? "" : "s"}`;
    const hint = kept.find((fault) => fault.hint !== undefined)?.hint;
    return usageError(
      "INVALID_RECIPIENTS",
      `${this.#count.toLocaleString("en")} ${noun} of ${name ?? "--to"} cannot be used`,
      hint,
      details,
    );
  }
}
