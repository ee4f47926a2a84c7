import type { Country } from "../message/number.ts";
import { type OwnFields, ownFields } from "../message/fields.ts";
import { fieldKey, type Fields } from "../message/template.ts";
import { SmsError } from "../errors.ts";

export interface Source {
  /** For sentences: `customers.csv`, `standard input`. */
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
  /** The share of it that was read so far, from 0 to 1; absent if its size is not known. */
  readonly share?: () => number;
}

/** Tabs and semicolons as delimiters are `csv` too. */
export type Format = "plain" | "csv" | "ndjson";

/** One recipient as written in the source. */
export interface Row {
  readonly kind: "row";
  /** The line on which it begins, from 1; negative as in `lineText`. */
  readonly line: number;
  readonly to: string;
  /** Whether a person typed the number, so that no spreadsheet wrote it. */
  readonly isTyped?: true;
  readonly fields: Fields;
  /** What the row itself says of its message; its text is final, not a template. */
  readonly own?: OwnFields;
}

/** A row that cannot be sent. */
export interface RowFault {
  readonly kind: "fault";
  /** The line on which the row begins, from 1. */
  readonly line: number;
  /** A sentence to follow `line N: `. */
  readonly reason: string;
  /** The code of the error if this is the only row. */
  readonly errorCode?: string;
  readonly hint?: string;
  /** The key of the field that it does not have. */
  readonly field?: string;
  /** The number that was refused, for `explained` to say more about. */
  readonly refused?: RefusedNumber;
}

/** A text that was refused as a number, and the country in which it was read. */
export interface RefusedNumber {
  readonly text: string;
  readonly country: (() => Country | undefined) | undefined;
}

/** Returns the row of a CSV or NDJSON file with these columns, blank ones counting as absent. */
export function rowOf(line: number, to: string, fields: Fields, format: "csv" | "ndjson"): Row | RowFault {
  const get = (name: string) => {
    const text = fields[fieldKey(name)];
    return text === undefined || text.trim() === "" ? undefined : text;
  };
  try {
    return { kind: "row", line, to, fields, own: ownFields(get, format === "csv") };
  } catch (error) {
    if (!(error instanceof SmsError)) throw error;
    return { kind: "fault", line, reason: error.message };
  }
}

/** Rows in order; in batches, because an await per row is slow. The reader of a batch may empty it. */
export type RowBatches = AsyncIterable<(Row | RowFault)[]>;

/** The maximum size of a line and of a CSV record. */
export const maxRowBytes = 64 * 1024;

/** Quotes text from a source for a sentence, cut to 40 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);
}
