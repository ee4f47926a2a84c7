import type { Failure, Outcome, Receipt } from "../message/outcome.ts";
import { parseJson, isNumber, isText, oneOf, optional, shape } from "../json.ts";
import { endings } from "../errors.ts";
import { isLeftOutReason, type LeftOutCause } from "./left-out.ts";

export interface LeftOutEntry extends LeftOutCause {
  readonly kind: "left-out";
  readonly indexes: readonly number[];
}

/** The plan and the kind of the entry give the other fields. */
export type StoredReceipt = Omit<Receipt, "success" | "to">;

export type ResultEntry =
  | { readonly kind: "accepted"; readonly index: number; readonly receipt: StoredReceipt }
  | {
      readonly kind: "rejected" | "unsent" | "uncertain";
      readonly index: number;
      readonly failure: Failure;
    };

/** An entry names a message by its index in the plan. */
export type JournalEntry =
  /** These may reach the service from now on. */
  | { readonly kind: "intent"; readonly indexes: readonly number[] }
  /** Nothing was sent to these: their requests never began, or were refused and may be tried again. */
  | { readonly kind: "withdrawn"; readonly indexes: readonly number[] }
  /** These are left out for good. */
  | LeftOutEntry
  /** The entries up to the next time were written at this one. */
  | { readonly kind: "time"; readonly at: number }
  /** Nothing more is ever sent after this last entry. */
  | { readonly kind: "closed" }
  | ResultEntry;

/** The first line of a journal, written before its run begins: a journal without any line has lost its entries. */
export const firstLine = '["begun"]\n';

export function resultEntry(index: number, outcome: Outcome): ResultEntry {
  if (outcome.kind !== "accepted") return { kind: outcome.kind, index, failure: outcome.failure };
  const { success: _, to: __, ...receipt } = outcome.receipt;
  return { kind: "accepted", index, receipt };
}

export function encodeEntry(entry: JournalEntry): string {
  switch (entry.kind) {
    case "intent":
    case "withdrawn":
      return `["${entry.kind}",${entry.indexes.join(",")}]\n`;
    case "left-out":
      return `["left-out","${entry.reason}",${JSON.stringify(entry.details ?? "")},${entry.indexes.join(",")}]\n`;
    case "time":
      return `["time",${entry.at}]\n`;
    case "closed":
      return `["${entry.kind}"]\n`;
    case "accepted":
      return `["accepted",${entry.index},${JSON.stringify(entry.receipt)}]\n`;
    case "rejected":
    case "unsent":
    case "uncertain":
      return `["${entry.kind}",${entry.index},${JSON.stringify(entry.failure)}]\n`;
  }
}

export function decodeEntry(line: string): JournalEntry | undefined {
  const value = parseJson(line);
  if (!Array.isArray(value)) return undefined;
  const [kind, ...rest]: readonly unknown[] = value;
  const [index, detail, ...others] = rest;
  switch (kind) {
    case "left-out":
      return isLeftOutReason(index) && isText(detail) && others.length > 0 && others.every(isIndex)
        ? { kind, reason: index, details: detail || undefined, indexes: others }
        : undefined;
    case "intent":
    case "withdrawn":
      return rest.length > 0 && rest.every(isIndex) ? { kind, indexes: rest } : undefined;
    case "time":
      return isIndex(index) ? { kind, at: index } : undefined;
    case "closed":
      return { kind };
    case "accepted":
      return isIndex(index) && isReceipt(detail) ? { kind, index, receipt: detail } : undefined;
    case "rejected":
    case "unsent":
    case "uncertain":
      return isIndex(index) && isFailure(detail) ? { kind, index, failure: detail } : undefined;
    default:
      return undefined;
  }
}

function isIndex(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0;
}

const isReceipt = shape<StoredReceipt>({
  messageId: isText,
  segments: optional(isNumber),
  totalCredits: optional(isNumber),
  totalCostKes: optional(isNumber),
  newBalance: optional(isNumber),
  status: optional(isText),
  senderId: optional(isText),
});

const isFailure = shape<Failure>({
  kind: oneOf(...Object.keys(endings)),
  error: isText,
  errorCode: isText,
  httpStatus: optional(isNumber),
});

export const cutOffOutcome: Outcome = {
  kind: "uncertain",
  failure: {
    kind: "no-answer",
    error: "sms ended before it could record the outcome",
    errorCode: "NO_ANSWER",
  },
};

/** Nothing of a run is sent after it is closed. */
export const closedBefore: Outcome = {
  kind: "unsent",
  failure: { kind: "interrupted", error: "the run was closed before this was sent", errorCode: "RUN_CLOSED" },
  retry: { kind: "never" },
};

export function outcomeFrom(entry: ResultEntry, to: string): Outcome {
  switch (entry.kind) {
    case "accepted":
      return { kind: "accepted", receipt: { success: true, ...entry.receipt, to } };
    case "rejected":
    case "uncertain":
      return { kind: entry.kind, failure: entry.failure };
    case "unsent":
      return { kind: "unsent", failure: entry.failure, retry: { kind: "back-off" } };
  }
}
