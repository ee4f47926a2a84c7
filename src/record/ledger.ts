import { rounded, type Failure } from "../message/outcome.ts";
import { endings, type OutcomeKind } from "../errors.ts";
import type { JournalEntry, LeftOutEntry, StoredReceipt } from "./journal-entry.ts";
import type { LeftOutCause, LeftOutCounts, LeftOutReason } from "./left-out.ts";

export type Tally = Readonly<Record<OutcomeKind, number>> & {
  /** Nothing more is ever sent, so that nothing is due. */
  readonly isClosed: boolean;
  /** A resume sends these with or without `--retry`. */
  readonly due: number;
  /** Rows of the plan are counted only if the plan was read. */
  readonly leftOut: LeftOutCounts;
  /** The service's count comes before our own. */
  readonly segments: number;
  readonly totalCredits: number;
  readonly totalCostKes: number;
  /** Accepted messages whose receipt lacks credits or cost, so that these sums are too low. */
  readonly unpriced: number;
  /** The last requests may overlap, so this is the lowest balance on their receipts. */
  readonly newBalance: number | undefined;
};

/** The outcome of each state. Who is left out has none, which is pending here: ask `isLeftOut` as well. */
const kinds = ["pending", "accepted", "rejected", "unsent", "uncertain", "rejected", "pending", "uncertain"] as const;

/** Nothing was charged, and the message is not at fault. */
const refusedAccount = 5;

/** A message that is uncertain stays so. */
const leftOutState = 6;
const uncertainLeftOutState = 7;

const dueStates: readonly number[] = [kinds.indexOf("pending"), kinds.indexOf("unsent"), refusedAccount];

/** Added to a state while the message has an intent without a result; the rest is the state before. */
const open = 8;

/** A byte is the state of a message. An intent without a result counts as uncertain. */
export class Ledger {
  readonly messages: number;
  readonly #segments: Uint8Array;
  readonly #states: Uint8Array;
  readonly #counts = [0, 0, 0, 0, 0, 0, 0, 0];
  #receipts = 0;
  readonly #receiptsBefore = new Map<number, number>();
  #balance: { readonly credits: number; readonly receipt: number } | undefined;
  #isClosed = false;
  #openCount = 0;
  #openSegments = 0;
  #doubtfulSegments = 0;
  #unpricedSegments = 0;
  #totals = { segments: 0, totalCredits: 0, totalCostKes: 0, unpriced: 0 };
  #creditsPerSegment = 1;
  /** Few things leave out many messages, so a message has the place of what left it out. */
  #causeOf: Uint16Array | undefined;
  readonly #causes: LeftOutCause[] = [];
  readonly #leftOutCounts: Partial<Record<LeftOutReason, number>>;

  /** `segments` has our own count for each message; rows that the plan left out are only counted. */
  constructor(segments: Uint8Array, leftOutCounts: LeftOutCounts = {}) {
    this.#leftOutCounts = { ...leftOutCounts };
    this.messages = segments.length;
    this.#segments = segments;
    this.#states = new Uint8Array(segments.length);
    this.#counts[0] = segments.length;
  }

  /** If the entry contradicts the entries before, this returns false and changes nothing. */
  apply(entry: JournalEntry): boolean {
    if (this.#isClosed) return entry.kind === "time";
    switch (entry.kind) {
      case "intent":
        if (!entry.indexes.every((index) => this.#isToBeSent(index))) return false;
        for (const index of entry.indexes) this.#intend(index);
        return true;
      case "withdrawn":
        if (!entry.indexes.every((index) => this.isOpen(index))) return false;
        for (const index of entry.indexes) this.#endIntent(index);
        return true;
      case "left-out":
        if (!entry.indexes.every((index) => this.#isToBeSent(index))) return false;
        this.#leaveOut(entry);
        return true;
      case "time":
        return true;
      case "closed":
        this.#isClosed = true;
        return true;
      case "accepted":
        if (!this.isOpen(entry.index)) return false;
        this.#receive(entry.index, entry.receipt.newBalance);
        this.#endIntent(entry.index);
        this.#move(entry.index, kinds.indexOf(entry.kind));
        this.#charge(entry.receipt, this.#segments[entry.index] ?? 0);
        return true;
      case "rejected":
      case "unsent":
      case "uncertain":
        if (!this.isOpen(entry.index)) return false;
        this.#endIntent(entry.index);
        this.#move(entry.index, stateAfter(entry));
        if (entry.kind === "uncertain" && isDoubt(entry.failure))
          this.#doubtfulSegments += this.#segments[entry.index] ?? 0;
        return true;
    }
  }

  isOpen(index: number): boolean {
    return ((this.#states[index] ?? 0) & open) !== 0;
  }

  /** An intent without a result does not change this. */
  outcomeBefore(index: number): OutcomeKind {
    return kinds[(this.#states[index] ?? 0) & ~open] ?? "pending";
  }

  /** A message that has an intent without a result is uncertain. */
  outcomeOf(index: number): OutcomeKind {
    return this.isOpen(index) ? "uncertain" : this.outcomeBefore(index);
  }

  /** An intent without a result makes its message not due, so a resume after a kill does not send it twice. */
  isDue(index: number): boolean {
    return !this.#isClosed && dueStates.includes(this.#states[index] ?? 0);
  }

  isLeftOut(index: number): boolean {
    return [leftOutState, uncertainLeftOutState].includes((this.#states[index] ?? 0) & ~open);
  }

  /** Undefined too for a message that is in doubt: that one stays uncertain. */
  leftOutCause(index: number): LeftOutCause | undefined {
    return this.#states[index] === leftOutState ? this.#causes[this.#causeOf?.[index] ?? 0] : undefined;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The highest charge on receipts for a segment of our own count raises this from 1 credit. */
  get creditsPerSegment(): number {
    return this.#creditsPerSegment;
  }

  /** Receipts without credits, and attempts in flight or ever uncertain, count at `creditsPerSegment`. */
  get exposure(): number {
    const segments = this.#unpricedSegments + this.#doubtfulSegments + this.#openSegments;
    return this.#totals.totalCredits + segments * this.#creditsPerSegment;
  }

  /** If a receipt has no credits, our own count applies. */
  get charged(): number {
    return this.#totals.totalCredits + this.#unpricedSegments;
  }

  tally(): Tally {
    const [pending = 0, accepted = 0, rejected = 0, unsent = 0, uncertain = 0, ...others] = this.#counts;
    const [ofAccount = 0, , leftUncertain = 0] = others;
    const { segments, totalCredits, totalCostKes, unpriced } = this.#totals;
    return {
      accepted,
      rejected: rejected + ofAccount,
      unsent: this.#isClosed ? unsent + pending : unsent,
      uncertain: uncertain + leftUncertain + this.#openCount,
      pending: this.#isClosed ? 0 : pending,
      leftOut: { ...this.#leftOutCounts },
      isClosed: this.#isClosed,
      due: this.#isClosed ? 0 : dueStates.reduce((sum, state) => sum + (this.#counts[state] ?? 0), 0),
      segments,
      totalCredits,
      totalCostKes: rounded(totalCostKes),
      unpriced,
      newBalance: this.#balance?.credits,
    };
  }

  #isToBeSent(index: number): boolean {
    return index < this.messages && this.outcomeBefore(index) !== "accepted" && !this.isLeftOut(index);
  }

  #intend(index: number): void {
    const segments = this.#segments[index] ?? 0;
    this.#doubtIfOpen(index);
    const state = this.#states[index] ?? 0;
    this.#counts[state] = (this.#counts[state] ?? 0) - 1;
    this.#states[index] = state | open;
    this.#openCount++;
    this.#openSegments += segments;
    this.#receiptsBefore.set(index, this.#receipts);
  }

  /** After a kill, the attempt that was cut off stays in doubt. */
  #doubtIfOpen(index: number): void {
    if (!this.isOpen(index)) return;
    this.#endIntent(index);
    this.#move(index, kinds.indexOf("uncertain"));
    this.#doubtfulSegments += this.#segments[index] ?? 0;
  }

  #leaveOut({ reason, details, indexes }: LeftOutEntry): void {
    this.#causeOf ??= new Uint16Array(this.messages);
    let cause = this.#causes.findIndex((each) => each.reason === reason && each.details === details);
    if (cause < 0) cause = this.#causes.push({ reason, details }) - 1;
    for (const index of indexes) {
      this.#doubtIfOpen(index);
      const isDoubtful = this.outcomeBefore(index) === "uncertain";
      this.#move(index, isDoubtful ? uncertainLeftOutState : leftOutState);
      this.#causeOf[index] = cause;
      if (!isDoubtful) this.#leftOutCounts[reason] = (this.#leftOutCounts[reason] ?? 0) + 1;
    }
  }

  #endIntent(index: number): void {
    const state = (this.#states[index] ?? 0) & ~open;
    this.#states[index] = state;
    this.#counts[state] = (this.#counts[state] ?? 0) + 1;
    this.#openCount--;
    this.#openSegments -= this.#segments[index] ?? 0;
    this.#receiptsBefore.delete(index);
  }

  #move(index: number, state: number): void {
    const from = this.#states[index] ?? 0;
    this.#counts[from] = (this.#counts[from] ?? 0) - 1;
    this.#counts[state] = (this.#counts[state] ?? 0) + 1;
    this.#states[index] = state;
  }

  /** The last answer need not be the last charge: the lowest balance counts until a later request is answered. */
  #receive(index: number, credits: number | undefined): void {
    const receipt = ++this.#receipts;
    if (credits === undefined) return;
    const hasBegunAfter = (this.#receiptsBefore.get(index) ?? 0) >= (this.#balance?.receipt ?? 0);
    if (hasBegunAfter || credits < (this.#balance?.credits ?? Infinity)) this.#balance = { credits, receipt };
  }

  #charge(receipt: StoredReceipt, expected: number): void {
    const { segments, totalCredits, totalCostKes } = receipt;
    this.#totals.segments += segments ?? expected;
    this.#totals.totalCredits += totalCredits ?? 0;
    this.#totals.totalCostKes += totalCostKes ?? 0;
    if (totalCredits === undefined || totalCostKes === undefined) this.#totals.unpriced++;
    if (totalCredits === undefined) this.#unpricedSegments += expected;
    else if (expected > 0) this.#creditsPerSegment = Math.max(this.#creditsPerSegment, totalCredits / expected);
  }
}

function stateAfter(entry: Extract<JournalEntry, { failure: Failure }>): number {
  return entry.kind === "rejected" && isOfAccount(entry.failure) ? refusedAccount : kinds.indexOf(entry.kind);
}

/** Who is left out does not count. */
export function recipientsOf({ accepted, rejected, unsent, uncertain, pending }: Tally): number {
  return accepted + rejected + unsent + uncertain + pending;
}

export function isAllAccepted(tally: Tally): boolean {
  return tally.accepted === recipientsOf(tally);
}

/** A refusal because of the account or the sender says nothing about the message. */
export function isOfAccount({ kind }: Failure): boolean {
  return kind === "unauthorized" || kind === "no-credits" || kind === "forbidden";
}

/** A message can be in doubt although its last attempt was provably not sent. */
function isDoubt({ kind }: Failure): boolean {
  return endings[kind].sent !== "no";
}
