import type { Failure } from "../core/outcome.ts";
import { endings, type OutcomeKind } from "../errors.ts";
import type { JournalEntry, StoredReceipt } from "./journal-entry.ts";

/** The counts and costs of a run so far. The five outcomes add up to all its recipients. */
export type Tally = Readonly<Record<OutcomeKind, number>> & {
  /** Of accepted messages, by the service's count, else by our own. */
  readonly segments: number;
  /** Credits charged, by the receipts. */
  readonly totalCredits: number;
  /** Cost in KES, by the receipts. */
  readonly totalCostKes: number;
  /** The balance on the last receipt that has one. Credits. */
  readonly newBalance: number | undefined;
};

const kinds = ["pending", "accepted", "rejected", "unsent", "uncertain"] as const;

/** Added to a state while the message has an intent without a result; the rest is the state before. */
const open = 8;

/** The state of each message (one byte) and the charges of a run. An intent without a result counts as uncertain. */
export class Ledger {
  readonly messages: number;
  readonly #segments: Uint8Array;
  readonly #states: Uint8Array;
  readonly #counts = [0, 0, 0, 0, 0];
  #openCount = 0;
  #openCredits = 0;
  #doubtfulCredits = 0;
  #expectedCredits = 0;
  #totals = { segments: 0, totalCredits: 0, totalCostKes: 0 };
  #newBalance: number | undefined;

  /** `segments` of each message by our own count, which is also its expected charge in credits. */
  constructor(segments: Uint8Array) {
    this.messages = segments.length;
    this.#segments = segments;
    this.#states = new Uint8Array(segments.length);
    this.#counts[0] = segments.length;
  }

  /** Applies an entry. Returns false, with nothing changed, if it contradicts the entries before. */
  apply(entry: JournalEntry): boolean {
    switch (entry.kind) {
      case "intent":
        if (!entry.indexes.every((index) => index < this.messages && this.stateOf(index) !== "accepted")) return false;
        for (const index of entry.indexes) this.#intend(index);
        return true;
      case "released":
        if (!entry.indexes.every((index) => this.isOpen(index))) return false;
        for (const index of entry.indexes) this.#close(index);
        return true;
      case "accepted":
        if (!this.isOpen(entry.index)) return false;
        this.#close(entry.index);
        this.#move(entry.index, entry.kind);
        this.#charge(entry.receipt, this.#segments[entry.index] ?? 0);
        return true;
      case "rejected":
      case "unsent":
      case "uncertain":
        if (!this.isOpen(entry.index)) return false;
        this.#close(entry.index);
        this.#move(entry.index, entry.kind);
        if (entry.kind === "uncertain" && isDoubt(entry.failure)) {
          this.#doubtfulCredits += this.#segments[entry.index] ?? 0;
        }
        return true;
    }
  }

  /** Whether the message has an intent without a result. */
  isOpen(index: number): boolean {
    return ((this.#states[index] ?? 0) & open) !== 0;
  }

  /** The outcome of the message before an intent without a result. */
  stateOf(index: number): OutcomeKind {
    return kinds[(this.#states[index] ?? 0) & ~open] ?? "pending";
  }

  /** The outcome of the message; uncertain if it has an intent without a result. */
  outcomeOf(index: number): OutcomeKind {
    return this.isOpen(index) ? "uncertain" : this.stateOf(index);
  }

  /**
   * The credits that may have been charged: by the receipts, or by our own count if a receipt has none, and by our own count
   * for each attempt that is in flight or was ever uncertain.
   */
  get exposure(): number {
    return this.charged + this.#doubtfulCredits + this.#openCredits;
  }

  /** The credits charged for accepted messages, by our own count if a receipt has none. */
  get charged(): number {
    return this.#totals.totalCredits + this.#expectedCredits;
  }

  tally(): Tally {
    const [pending = 0, accepted = 0, rejected = 0, unsent = 0, uncertain = 0] = this.#counts;
    const { segments, totalCredits, totalCostKes } = this.#totals;
    return {
      accepted,
      rejected,
      unsent,
      uncertain: uncertain + this.#openCount,
      pending,
      segments,
      totalCredits,
      // Removes the rounding errors of a binary sum of decimals.
      totalCostKes: Math.round(totalCostKes * 10_000) / 10_000,
      newBalance: this.#newBalance,
    };
  }

  #intend(index: number): void {
    const credits = this.#segments[index] ?? 0;
    if (this.isOpen(index)) {
      // A retry after a kill: the first attempt stays in doubt.
      this.#close(index);
      this.#move(index, "uncertain");
      this.#doubtfulCredits += credits;
    }
    const state = this.#states[index] ?? 0;
    this.#counts[state] = (this.#counts[state] ?? 0) - 1;
    this.#states[index] = state | open;
    this.#openCount++;
    this.#openCredits += credits;
  }

  #close(index: number): void {
    const state = (this.#states[index] ?? 0) & ~open;
    this.#states[index] = state;
    this.#counts[state] = (this.#counts[state] ?? 0) + 1;
    this.#openCount--;
    this.#openCredits -= this.#segments[index] ?? 0;
  }

  #move(index: number, to: OutcomeKind): void {
    const from = this.#states[index] ?? 0;
    const state = kinds.indexOf(to);
    this.#counts[from] = (this.#counts[from] ?? 0) - 1;
    this.#counts[state] = (this.#counts[state] ?? 0) + 1;
    this.#states[index] = state;
  }

  #charge(receipt: StoredReceipt, expected: number): void {
    const { segments, totalCredits, totalCostKes, newBalance } = receipt;
    this.#totals.segments += segments ?? expected;
    this.#totals.totalCredits += totalCredits ?? 0;
    this.#totals.totalCostKes += totalCostKes ?? 0;
    if (totalCredits === undefined) this.#expectedCredits += expected;
    this.#newBalance = newBalance ?? this.#newBalance;
  }
}

/** Whether this attempt may have been sent. A message can be in doubt although its last attempt was provably not sent. */
function isDoubt({ kind }: Failure): boolean {
  return endings[kind].sent !== "no";
}
