import { countText } from "../words/count.ts";
import { shellWord } from "../words/shell-word.ts";
import { type FaultReason, type SmsError, usageError } from "../errors.ts";
import { explained } from "./check.ts";
import { type Cause, causes, lineText, mostOfReason, type RowFault } from "./row.ts";

/** Cleaning the list changes nothing about these. */
const ofText: readonly Cause[] = ["field", "text", "guard", "differs"];

export class CauseCounts {
  readonly #byCause = new Map<Cause, { rows: number; readonly first: string[] }>();

  add(cause: Cause, shown: string): void {
    const known = this.#byCause.get(cause) ?? { rows: 0, first: [] };
    this.#byCause.set(cause, known);
    known.rows++;
    if (known.first.length < mostOfReason) known.first.push(shown);
  }

  reasons(): readonly (FaultReason & { readonly reason: Cause })[] {
    return [...this.#byCause]
      .map(([reason, { rows, first }]) => ({ reason, words: causes[reason], rows, first }))
      .toSorted((one, other) => other.rows - one.rows);
  }
}

export class Faults {
  readonly #all: RowFault[] = [];

  get count(): number {
    return this.#all.length;
  }

  add(fault: RowFault): void {
    if (fault.first !== undefined) this.#all.push(fault.first);
    this.#all.push(fault);
  }

  /** If there is no name, the faults are of --to. */
  async toUsageError(name: string | undefined, usable?: number, clean?: string): Promise<SmsError> {
    const details: string[] = [];
    const counts = new CauseCounts();
    const hints = new Map<Cause, string>();
    for (const fault of this.#all.toSorted((a, b) => a.line - b.line)) {
      const { line, where, reason, cause = "row", hint: own } = await explained(fault);
      const detail = `${where ?? lineText(line, name !== undefined)}: ${reason}`;
      details.push(detail);
      counts.add(cause, detail);
      if (own !== undefined && !hints.has(cause)) hints.set(cause, own);
    }
    const reasons = counts.reasons();
    const noun = `${name === undefined ? "number" : "row"}${this.count === 1 ? "" : "s"}`;
    return usageError("INVALID_RECIPIENTS", `${countText(this.count)} ${noun} of ${name ?? "--to"} cannot be used`, {
      hint:
        usable === undefined || name === undefined
          ? [...hints.values()][0]
          : waysOn(clean ?? cleanLine({ file: name }), usable, reasons, hints),
      details,
      faults: { reasons, ...(usable !== undefined && { usable }) },
    });
  }
}

export interface CleanWords {
  readonly file: string;
  readonly output?: string;
  readonly mobileOnly?: boolean;
  readonly keepUnassigned?: boolean;
  readonly sheet?: string;
  readonly encoding?: string;
  readonly country?: string;
  readonly toColumn?: string;
}

/** A person can copy the command. */
export function cleanLine({ file, ...words }: CleanWords): string {
  const options = [
    ["--sheet", words.sheet],
    ["--encoding", words.encoding],
    ["--country", words.country],
    ["--to-column", words.toColumn],
    ["-o", words.output],
  ] as const;
  return [
    "sms clean",
    file === "standard input" ? "FILE" : shellWord(file),
    ...(words.mobileOnly ? ["--mobile-only"] : []),
    ...(words.keepUnassigned ? ["--keep-unassigned"] : []),
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${shellWord(value)}`])),
  ].join(" ");
}

function waysOn(
  clean: string,
  usable: number,
  reasons: ReturnType<CauseCounts["reasons"]>,
  hints: ReadonlyMap<Cause, string>,
): string | undefined {
  const [most, ...others] = reasons;
  const isOfList = reasons.some(({ reason }) => !ofText.includes(reason));
  const hint = most && hints.get(most.reason);
  // One option may help most rows.
  const helps = !isOfList || others.length === 0 || most?.reason === "no-country";
  const ways = helps && hint !== undefined ? [hint] : [];
  if (isOfList) ways.push(`\`${clean}\` sorts them out`);
  if (usable > 0 && !reasons.some(({ reason }) => reason === "guard"))
    ways.push(`--skip-invalid sends to the other ${countText(usable)}`);
  return ways.length === 0 ? undefined : ways.join("; or ");
}
