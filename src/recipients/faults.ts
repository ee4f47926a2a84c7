import { countText } from "../words/count.ts";
import { shellWord } from "../words/shell-word.ts";
import { type FaultReason, type SmsError, usageError } from "../errors.ts";
import { explained } from "./check.ts";
import { type Cause, causes, type Format, isTypedBeside, lineText, mostOfReason, type RowFault } from "./row.ts";

/** Cleaning the list changes nothing about these. */
const ofText: readonly Cause[] = ["field", "text", "guard", "differs"];

interface CauseCount extends FaultReason {
  readonly reason: Cause;
  /** The first hint of this cause. */
  readonly hint?: string;
}

export class CauseCounts {
  readonly #byCause = new Map<Cause, { rows: number; readonly first: string[]; hint?: string }>();

  add(cause: Cause, text: string, hint: string | undefined): void {
    const count = this.#byCause.get(cause) ?? { rows: 0, first: [] };
    this.#byCause.set(cause, count);
    count.rows++;
    count.hint ??= hint;
    if (count.first.length < mostOfReason) count.first.push(text);
  }

  reasons(): readonly CauseCount[] {
    return [...this.#byCause]
      .map(([reason, count]) => ({ reason, words: causes[reason], ...count }))
      .toSorted((a, b) => b.rows - a.rows);
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

  /** If there is no name, the faults are of --to. The command `clean` sorts out a list in a file. */
  async toUsageError(
    name: string | undefined,
    { usable, clean, maySkip = true, columns }: ErrorParts = {},
  ): Promise<SmsError> {
    const details: string[] = [];
    const counts = new CauseCounts();
    let firstHint: string | undefined;
    for (const fault of this.#all.toSorted((a, b) =>
      isTypedBeside(a) && isTypedBeside(b) ? b.line - a.line : a.line - b.line,
    )) {
      const { line, where, sentence, cause = "row", hint } = await explained(fault);
      const detail = `${where ?? lineText(line, name !== undefined)}: ${sentence}`;
      details.push(detail);
      counts.add(cause, detail, hint);
      firstHint ??= hint;
    }
    const reasons = counts.reasons();
    if (usable === 0) details.push(...choiceTexts(reasons, columns));
    const noun = `${name === undefined ? "number" : "row"}${this.count === 1 ? "" : "s"}`;
    return usageError("INVALID_RECIPIENTS", `${countText(this.count)} ${noun} of ${name ?? "--to"} cannot be used`, {
      hint: clean === undefined ? firstHint : waysOn(clean, maySkip ? usable : 0, reasons),
      details,
      faults: { reasons, usable },
    });
  }
}

interface ErrorParts {
  readonly usable?: number;
  readonly clean?: CleanWords;
  readonly maySkip?: boolean;
  readonly columns?: ColumnChoice;
}

interface ColumnChoice {
  readonly choiceText?: () => string | undefined;
}

/** One text, or none: another column may have the numbers. */
export function choiceTexts(reasons: readonly CauseCount[], columns: ColumnChoice | undefined): readonly string[] {
  const isOfNumbers = reasons.every(({ reason }) => !ofText.includes(reason));
  const text = isOfNumbers ? columns?.choiceText?.() : undefined;
  return text === undefined ? [] : [text];
}

export interface CleanWords {
  readonly file: string;
  readonly output?: string;
  readonly mobileOnly?: boolean;
  readonly keepUnassigned?: boolean;
  /** The list holds people back. */
  readonly everyNumber?: boolean;
  readonly format?: Format;
  readonly sheet?: string;
  readonly encoding?: string;
  readonly country?: string;
  readonly toColumn?: string;
}

/** A person can copy the command. */
export function cleanLine({ file, ...words }: CleanWords): string {
  const options = [
    ["--format", words.format],
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
    ...(words.everyNumber ? ["--every-number"] : []),
    ...options.flatMap(([name, value]) => (value === undefined ? [] : [`${name} ${shellWord(value)}`])),
  ].join(" ");
}

/** A list that takes no options of its own is mended by a command that makes another. */
export function mendedBy(clean: CleanWords): (option: string) => string {
  return (option) => `\`${cleanLine(clean)} ${option}\``;
}

function waysOn(clean: CleanWords, usable = 0, reasons: readonly CauseCount[]): string | undefined {
  const [most, ...others] = reasons;
  const isOfList = reasons.some(({ reason }) => !ofText.includes(reason));
  // One option may help most rows.
  const helps = !isOfList || others.length === 0 || most?.reason === "no-country";
  const ways = helps && most?.hint !== undefined ? [most.hint] : [];
  // If no row can be used, the format is likely another one.
  const format = usable === 0 ? undefined : clean.format;
  const country = clean.country ?? (reasons.some(({ reason }) => reason === "no-country") ? "CC" : undefined);
  if (isOfList) ways.push(`\`${cleanLine({ ...clean, format, country })}\` sorts them out`);
  if (usable > 0 && !reasons.some(({ reason }) => reason === "guard"))
    ways.push(`--skip-invalid sends to the other ${countText(usable)}`);
  return ways.length === 0 ? undefined : ways.join("; or ");
}
