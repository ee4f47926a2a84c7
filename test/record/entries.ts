import type { JournalEntry, ResultEntry } from "../../src/record/journal-entry.ts";
import { Ledger } from "../../src/record/ledger.ts";

export const failure = { kind: "refused", error: "no “€”", errorCode: "ACME_NO", httpStatus: 400 } as const;
export const receipt = { messageId: "msg_1", segments: 2, totalCredits: 2, totalCostKes: 1.6, newBalance: 98 };

/** What is recorded of a message. */
type MessageEntry = ResultEntry | Extract<JournalEntry, { readonly indexes: readonly number[] }>;

/** Entries of every kind, in an order that is possible for a run of six messages. */
export const history: readonly MessageEntry[] = [
  { kind: "intent", indexes: [0, 1, 2] },
  { kind: "accepted", index: 1, receipt },
  { kind: "rejected", index: 0, failure },
  { kind: "intent", indexes: [3, 4] },
  { kind: "unsent", index: 2, failure: { ...failure, kind: "unreachable" } },
  { kind: "withdrawn", indexes: [4] },
  { kind: "intent", indexes: [2] },
  { kind: "uncertain", index: 3, failure: { ...failure, kind: "no-answer" } },
  { kind: "accepted", index: 2, receipt: { messageId: "msg_2" } },
];

/** A ledger of messages with two segments each. */
export function newLedger(messages = 6): Ledger {
  return new Ledger(new Uint8Array(messages).fill(2));
}
