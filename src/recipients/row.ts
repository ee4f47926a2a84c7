import { countText } from "../words/count.ts";
import type { Country } from "../message/number.ts";
import { memberNames, type OwnFields, ownFields } from "../message/fields.ts";
import { fieldKey, type Fields } from "../message/text.ts";
import { SmsError } from "../errors.ts";

/** Tabs and semicolons as delimiters are `csv` too. */
export type Format = "plain" | "csv" | "ndjson";

export interface Row {
  readonly kind: "row";
  /** The line on which it begins, from 1; negative as in `lineText`. */
  readonly line: number;
  /** As in `row 14`, for rows that have no line. */
  readonly where?: string;
  readonly cell?: string;
  readonly to: string;
  /** Whether a person typed the number, so that no spreadsheet wrote it. */
  readonly isTyped?: true;
  readonly fields: Fields;
  /** The keys of fields whose values are no text, and why. */
  readonly unreadable?: ReadonlyMap<string, string>;
  readonly cells?: readonly string[];
  /** What the row itself says of its message; its text is final, not a template. */
  readonly own?: OwnFields;
}

/** Why a row cannot be used, in the words that follow a count. */
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
  /** As in `cell B14`, if it is not the line. */
  readonly where?: string;
  readonly reason: string;
  readonly errorCode?: string;
  readonly hint?: string;
  readonly suggestion?: string;
  readonly cells?: readonly string[];
  readonly field?: string;
  /** The number, if it is why the row cannot be used. */
  readonly to?: string;
  /** The fault of the row before that has the same number and another message. */
  readonly first?: RowFault;
  /** The number that was refused, and the country in which it was read, for `explained` to say more about. */
  readonly refused?: {
    readonly text: string;
    readonly country: Country | undefined;
    readonly isTyped: boolean;
  };
  /** Faults are counted by it; absent for a row that cannot be read, and until a refused number is `explained`. */
  readonly cause?: Cause;
}

/** Rows in order; in batches, because an await per row is slow. The reader of a batch may empty it. */
export type RowBatches = AsyncIterable<(Row | RowFault)[]>;

export const memberKeys: readonly string[] = memberNames.map(fieldKey);

export const maxRowBytes = 64 * 1024;

/** Returns the row of a CSV or NDJSON file with these columns, blank ones counting as absent. */
export function rowOf(
  line: number,
  { to, fields }: { readonly to: string; readonly fields: Fields },
  format: "csv" | "ndjson",
): Row | RowFault {
  const get = (name: string) => {
    const text = fields[fieldKey(name)];
    return text === undefined || text.trim() === "" ? undefined : text;
  };
  try {
    return { kind: "row", line, to, fields, own: ownFields(get, format === "csv") };
  } catch (error) {
    return faultFrom(error, line);
  }
}

export function faultFrom(error: unknown, line: number): RowFault {
  if (!(error instanceof SmsError)) throw error;
  const { message: reason, errorCode, hint } = error;
  return { kind: "fault", line, reason, errorCode, ...(hint !== undefined && { hint }) };
}

export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);
}

/** Returns the line of a recipient, as in `line 3`. Without a file, or if it is negative, it is the place of a `--to`: `--to 1`. */
export function lineText(line: number, hasFile = true): string {
  return line < 0 || !hasFile ? `--to ${Math.abs(line)}` : `line ${line}`;
}

/** Names the first of `count` places of rows, as in `lines 3, 7 and 12 more`. */
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

/** Rows that are named for each reason for which some cannot be used or are left out. */
export const mostOfReason = 3;
