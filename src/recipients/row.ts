import { countText } from "../words/count.ts";
import type { Country } from "../message/number.ts";
import type { OwnFields } from "../message/fields.ts";
import type { Fields } from "../message/text.ts";
import type { LeftOutCause } from "../record/left-out.ts";
import { SmsError } from "../errors.ts";

/** Tabs and semicolons as delimiters are `csv` too. */
export type Format = "plain" | "csv" | "ndjson";

export interface Row {
  readonly kind: "row";
  /** The first line is 1; a negative number is as in `lineText`. */
  readonly line: number;
  /** Rows that have no line have this, as in `row 14`. */
  readonly where?: string;
  readonly cell?: string;
  readonly to: string;
  /** If a person typed the number, no spreadsheet wrote it. */
  readonly isTyped?: true;
  readonly fields: Fields;
  /** The list's own names of its fields, by key. */
  readonly names?: ReadonlyMap<string, string>;
  /** The values of these fields are no text. */
  readonly unreadable?: ReadonlyMap<string, string>;
  readonly cells?: readonly string[];
  /** The row's own text is final, not a template. */
  readonly own?: OwnFields;
  /** The message of this row cannot be sent, but its number is one. */
  readonly spoilt?: RowFault;
}

export function typedRow(to: string, line = 1): Row {
  return { kind: "row", line, to, isTyped: true, fields: {} };
}

/** These words follow a count. */
export const causes = {
  several: "several numbers in one cell",
  "no-mobile": "no mobile number",
  unassigned: "in no range of numbers known to be in use",
  differs: "a number that is on another row with another message",
  mangled: "mangled by a spreadsheet",
  "no-number": "no number",
  "not-a-number": "not a number",
  "other-text": "other text beside the number",
  "no-country": "a number that needs its country",
  unclear: "a number that may be read in another way",
  impossible: "no possible number",
  row: "a row that cannot be read",
  field: "a field without a value",
  text: "a text that cannot be sent",
  guard: "not allowed by a list of this machine",
} as const;

export type Cause = keyof typeof causes;

export interface RowFault {
  readonly kind: "fault";
  readonly line: number;
  /** A fault that is not of the line has this, as in `cell B14`. */
  readonly where?: string;
  readonly sentence: string;
  readonly errorCode?: string;
  readonly hint?: string;
  readonly suggestion?: string;
  readonly cells?: readonly string[];
  readonly field?: string;
  /** Set if the number is why the row cannot be used. */
  readonly to?: string;
  /** The row before has the same number and another message. */
  readonly first?: RowFault;
  /** `explained` says more about a number that cannot be read in this country. */
  readonly unreadNumber?: {
    readonly text: string;
    readonly country: Country | undefined;
    readonly isTyped: boolean;
  };
  /** Faults are counted by cause; absent for a row that cannot be read, and until `explained` has been called. */
  readonly cause?: Cause;
}

/** The row is invalid, excluded or a duplicate. The sentence stands behind its place. */
export interface RowLeftOut
  extends LeftOutCause, Pick<RowFault, "line" | "where" | "sentence" | "unreadNumber" | "field"> {
  readonly kind: "left-out";
  /** A number that could not be read is as it came. */
  readonly to?: string;
  readonly fields?: Fields;
}

/** An await per row is slow, so rows come in batches. The reader of a batch may empty the batch. */
export type RowBatches = AsyncIterable<(Row | RowFault)[]>;

export const maxRowBytes = 64 * 1024;

export const textKey = "message";

export function faultFrom(error: unknown, line: number): RowFault {
  if (!(error instanceof SmsError)) throw error;
  const { message: sentence, errorCode, hint } = error;
  return { kind: "fault", line, sentence, errorCode, hint };
}

export function differs(line: number, to: string, other: string): RowFault {
  const sentence = `${to} is on ${other} too, with another message`;
  const hint = "put both into one row, or send both with --allow-duplicates";
  return { kind: "fault", line, to, sentence, hint, cause: "differs" };
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);
}

/** If a command has a list and numbers of `--to`, each of these numbers has a negative line. */
export function isTypedBeside({ line }: { readonly line: number }): boolean {
  return line < 0;
}

/** If there is no file, or if the number was typed beside one, the place is that of a `--to`: `--to 1`. */
export function lineText(line: number, hasFile = true, noun = "line"): string {
  return isTypedBeside({ line }) || !hasFile ? `--to ${Math.abs(line)}` : `${noun} ${line}`;
}

/** The places read as in `lines 3, 7 and 12 more`. */
export function placesText(first: readonly string[], count = first.length): string {
  const [noun = ""] = first[0]?.split(" ") ?? [];
  const isShared = first.length > 1 && first.every((place) => place.startsWith(`${noun} `)) && noun !== "--to";
  const places = isShared ? first.map((place) => place.slice(noun.length + 1)) : [...first];
  if (count > first.length) places.push(`${countText(count - first.length)} more`);
  const last = places.pop() ?? "";
  return `${isShared ? `${noun}s ` : ""}${places.length === 0 ? last : `${places.join(", ")} and ${last}`}`;
}

export function refusalText(to: string, reason: string): string {
  return to.trim() === "" ? reason : `${quoted(to)} cannot be read: ${reason}`;
}

export const mostNamed = 20;

export const mostOfReason = 3;
