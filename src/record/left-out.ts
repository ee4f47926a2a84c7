import { byName, isText, optional, parseJson, shape } from "../json.ts";
import type { Fields } from "../message/text.ts";
import { countText, plural } from "../words/count.ts";

const words = {
  invalid: "invalid",
  optedOut: "opted out",
  excluded: "excluded",
  repeated: "had this text from another run",
  duplicate: "duplicate",
} as const;

export type LeftOutReason = keyof typeof words;

export function isLeftOutReason(value: unknown): value is LeftOutReason {
  return typeof value === "string" && Object.hasOwn(words, value);
}

export interface LeftOutCause {
  readonly reason: LeftOutReason;
  /** Such as `run jan`, `already on line 3`, or what is wrong with the row. */
  readonly details?: string;
}

/** A row of a run that gets no message. */
export interface LeftOutRow extends LeftOutCause {
  readonly kind: "left-out";
  readonly line: number;
  /** A row that has no line has this, as in `row 14`. */
  readonly where?: string;
  /** An invalid number is exactly as it came. */
  readonly to: string;
  /** Only a message that was left out after the plan was made has a place in the plan. */
  readonly index?: number;
  readonly fields?: Fields;
}

export type LeftOutCounts = Readonly<Partial<Record<LeftOutReason, number>>>;

/** Whoever it names was to get the text, and did not. All others were left out on purpose. */
export function isOnPurpose({ reason }: LeftOutCause): boolean {
  return reason !== "invalid";
}

export function countsByReason(counts: LeftOutCounts): readonly string[] {
  const reasons = Object.keys(words).filter(isLeftOutReason);
  return reasons.flatMap((reason) => {
    const count = counts[reason] ?? 0;
    if (count === 0) return [];
    return reason === "duplicate" ? plural(count, reason) : `${countText(count)} ${words[reason]}`;
  });
}

export function leftOutWords({ reason, details }: LeftOutCause): string {
  return details === undefined ? words[reason] : `${words[reason]}: ${details}`;
}

/** The sentence stands behind the place of its row. */
export function leftOutSentence({ reason, to, details = "" }: Pick<LeftOutRow, "reason" | "to" | "details">): string {
  switch (reason) {
    case "invalid":
      return details;
    case "optedOut":
      return `${to} has opted out`;
    case "excluded":
      return `${to} is excluded: ${details}`;
    case "duplicate":
      return `${to} is ${details}`;
    case "repeated":
      return `${to} had this text from ${details}`;
  }
}

const start = '{"leftOut":';

export function isLeftOutLine(text: string): boolean {
  return text.startsWith(start);
}

export function leftOutLine({ line, where, to, reason, details, fields }: LeftOutRow): string {
  return `${JSON.stringify({ leftOut: reason, details, line, where, to, fields })}\n`;
}

/** Undefined if the line is broken. */
export function readLeftOutLine(text: string): LeftOutRow | undefined {
  const value = parseJson(text);
  if (!isLine(value)) return undefined;
  const { leftOut: reason, ...row } = value;
  return { kind: "left-out", reason, ...row };
}

interface LeftOutLine extends Omit<LeftOutRow, "kind" | "reason" | "index"> {
  readonly leftOut: LeftOutReason;
}

const isLine = shape<LeftOutLine>({
  leftOut: isLeftOutReason,
  details: optional(isText),
  line: Number.isInteger,
  where: optional(isText),
  to: isText,
  fields: optional(byName(isText)),
});

const mostOfReason = 3;

/** How many are left out for each reason, and the first of each. */
export class LeftOutSample {
  readonly counts: Partial<Record<LeftOutReason, number>> = {};
  readonly first: LeftOutRow[] = [];

  add(row: LeftOutRow): void {
    const count = (this.counts[row.reason] ?? 0) + 1;
    this.counts[row.reason] = count;
    if (count <= mostOfReason) this.first.push(row);
  }
}
