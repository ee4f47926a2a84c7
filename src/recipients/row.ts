import type { Country } from "../core/number.ts";
import type { Sender } from "../core/sender.ts";
import type { Fields } from "../core/template.ts";

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
  /** The row's own text, final: not a template. */
  readonly message?: string;
  readonly sender?: Sender;
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

/** Rows in order; in batches, because an await per row is slow. The reader of a batch may empty it. */
export type RowBatches = AsyncIterable<(Row | RowFault)[]>;

/** The maximum size of a line and of a CSV record. */
export const maxRowBytes = 64 * 1024;

/** Quotes text from a source for a sentence, cut to 40 characters. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);
}
