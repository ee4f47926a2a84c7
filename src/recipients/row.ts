import type { Sender } from "../core/sender.ts";
import type { Fields } from "../core/template.ts";

/** Recipients as they stand in a file, on standard input or elsewhere. */
export interface Source {
  /** What people call it in a sentence, such as `customers.csv` or `standard input`. */
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

/** How recipients are written down. Values separated by tabs or semicolons are `csv` too. */
export type Format = "plain" | "csv" | "ndjson";

/** One recipient as it was written. */
export interface Row {
  readonly kind: "row";
  /** The line on which it begins, from 1. */
  readonly line: number;
  /** The number as it was written. */
  readonly to: string;
  readonly fields: Fields;
  /** The row's own text, final: not a template. */
  readonly message?: string;
  readonly sender?: Sender;
}

/** One row that cannot be sent, and why. */
export interface RowFault {
  readonly kind: "fault";
  /** The line on which the row begins, from 1. */
  readonly line: number;
  /** What is wrong, in a sentence that follows the line's number. */
  readonly reason: string;
  readonly hint?: string;
}

/** What a reader gives: rows in their order, in batches, so that a million of them do not cost a wait each. */
export type RowBatches = AsyncIterable<readonly (Row | RowFault)[]>;

/** The longest line, and the longest row, in bytes. */
export const longestRow = 64 * 1024;

/** Text of others in a sentence of ours: quoted, and cut where it is long. */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40).toWellFormed()}…` : text);
}
