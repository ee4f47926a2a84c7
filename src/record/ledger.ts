import { rounded, type Failure } from "../message/outcome.ts";
import { endings, type OutcomeKind } from "../errors.ts";
import type { JournalEntry, StoredReceipt } from "./journal-entry.ts";

/** The counts and costs of a run so far. */
export type Tally = Readonly<Record<OutcomeKind, number>> & {
  /** Whether nothing more is ever sent, so that nothing is due. */
  readonly isClosed: boolean;
  /** Messages that are sent when the run is continued, whatever `--retry` adds. */
  readonly due: number;
  /** Messages that were left out because other runs sent them. These and the five outcomes add up to all messages of the plan. */
  readonly repeated: number;
  /** Of accepted messages, by the service's count, else by our own. */
  readonly segments: number;
  readonly totalCredits: number;
  readonly totalCostKes: number;
  /** Accepted messages whose receipt lacks credits or cost, so that these sums are too low. */
  readonly unpriced: number;
  /** The lowest balance on the receipts of requests that overlapped with the last. Credits. */
  readonly newBalance: number | undefined;
};

const kinds = ["pending", "accepted", "rejected", "unsent", "uncertain", "rejected", "pending", "uncertain"] as const;

/** The state of a message that was rejected because of the account: nothing was charged, and the message is not at fault. */
const refusedAccount = 5;

/** The states of a message that was left out because another run sent it; one that is uncertain stays so. */
const repeated = 6;
const uncertainAndRepeated = 7;

/** The states in which a run that is continued sends a message unasked. */
const dueStates: readonly number[] = [kinds.indexOf("pending"), kinds.indexOf("unsent"), refusedAccount];

/** Added to a state while the message has an intent without a result; the rest is the state before. */
const open = 8;

/** The state of each message (one byte) and the charges of a run. An intent without a result counts as uncertain. */
export class Ledger {
  readonly messages: number;
  readonly #segments: Uint8Array;
  readonly #states: Uint8Array;
  readonly #counts = [0, 0, 0, 0, 0, 0, 0, 0];
  #receipts = 0;
  /** How many receipts had come when each open request began. */
  readonly #receiptsBefore = new Map<number, number>();
  #balance: { readonly credits: number; readonly receipt: number } | undefined;
  #isClosed = false;
  #openCount = 0;
  #openSegments = 0;
  #doubtfulSegments = 0;
  /** Of accepted messages whose receipt has no credits. */
  #unpricedSegments = 0;
  #totals = { segments: 0, totalCredits: 0, totalCostKes: 0, unpriced: 0 };
  #creditsPerSegment = 1;

  /** `segments` of each message by our own count. */
  constructor(segments: Uint8Array) {
    this.messages = segments.length;
    this.#segments = segments;
    this.#states = new Uint8Array(segments.length);
    this.#counts[0] = segments.length;
  }

  /** Applies an entry. Returns false, with nothing changed, if it contradicts the entries before. */
  apply(entry: JournalEntry): boolean {
    if (this.#isClosed) return entry.kind === "time";
    switch (entry.kind) {
      case "intent":
        if (!entry.indexes.every((index) => this.#isToBeSent(index))) return false;
        for (const index of entry.indexes) this.#intend(index);
        return true;
      case "released":
        if (!entry.indexes.every((index) => this.isOpen(index))) return false;
        for (const index of entry.indexes) this.#close(index);
        return true;
      case "repeated":
        if (!entry.indexes.every((index) => this.#isToBeSent(index))) return false;
        for (const index of entry.indexes) this.#leaveOut(index);
        return true;
      case "time":
        return true;
      case "closed":
        this.#isClosed = true;
        return true;
      case "accepted":
        if (!this.isOpen(entry.index)) return false;
        this.#receive(entry.index, entry.receipt.newBalance);
        this.#close(entry.index);
        this.#move(entry.index, kinds.indexOf(entry.kind));
        this.#charge(entry.receipt, this.#segments[entry.index] ?? 0);
        return true;
      case "rejected":
      case "unsent":
      case "uncertain":
        if (!this.isOpen(entry.index)) return false;
        this.#close(entry.index);
        this.#move(entry.index, stateAfter(entry));
        if (entry.kind === "uncertain" && isDoubt(entry.failure)) {
          this.#doubtfulSegments += this.#segments[entry.index] ?? 0;
        }
        return true;
    }
  }

  isOpen(index: number): boolean {
    return ((this.#states[index] ?? 0) & open) !== 0;
  }

  stateOf(index: number): OutcomeKind {
    return kinds[(this.#states[index] ?? 0) & ~open] ?? "pending";
  }

  /** The outcome of the message; uncertain if it has an intent without a result. */
  outcomeOf(index: number): OutcomeKind {
    return this.isOpen(index) ? "uncertain" : this.stateOf(index);
  }

  isDue(index: number): boolean {
    return !this.#isClosed && dueStates.includes(this.#states[index] ?? 0);
  }

  /** Whether the message was left out for good because another run sent it. */
  isRepeated(index: number): boolean {
    return [repeated, uncertainAndRepeated].includes((this.#states[index] ?? 0) & ~open);
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** The highest charge that a receipt has shown for a segment of our own count; at least 1 credit. */
  get creditsPerSegment(): number {
    return this.#creditsPerSegment;
  }

  /**
   * The credits that may have been charged: by the receipts, and by `creditsPerSegment` for each receipt without credits and
   * for each attempt that is in flight or was ever uncertain.
   */
  get exposure(): number {
    const segments = this.#unpricedSegments + this.#doubtfulSegments + this.#openSegments;
    return this.#totals.totalCredits + segments * this.#creditsPerSegment;
  }

  /** The credits charged for accepted messages, by our own count if a receipt has none. */
  get charged(): number {
    return this.#totals.totalCredits + this.#unpricedSegments;
  }

  tally(): Tally {
    const [pending = 0, accepted = 0, rejected = 0, unsent = 0, uncertain = 0, ...others] = this.#counts;
    const [ofAccount = 0, leftOut = 0, leftUncertain = 0] = others;
    const { segments, totalCredits, totalCostKes, unpriced } = this.#totals;
    return {
      accepted,
      rejected: rejected + ofAccount,
      unsent,
      uncertain: uncertain + leftUncertain + this.#openCount,
      pending,
      repeated: leftOut,
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
    return index < this.messages && this.stateOf(index) !== "accepted" && !this.isRepeated(index);
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
    this.#close(index);
    this.#move(index, kinds.indexOf("uncertain"));
    this.#doubtfulSegments += this.#segments[index] ?? 0;
  }

  #leaveOut(index: number): void {
    this.#doubtIfOpen(index);
    this.#move(index, this.stateOf(index) === "uncertain" ? uncertainAndRepeated : repeated);
  }

  #close(index: number): void {
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

  /** The last answer need not be the last charge: the lowest balance counts until a request that began after it is answered. */
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

/** Those who get a message of a run: all but those who had it from another. */
export function recipientsOf({ accepted, rejected, unsent, uncertain, pending }: Tally): number {
  return accepted + rejected + unsent + uncertain + pending;
}

export function isAllAccepted(tally: Tally): boolean {
  return tally.accepted === recipientsOf(tally);
}

/** Whether a refusal is about the account or the sender of the run, so that it says nothing about the message. */
export function isOfAccount({ kind }: Failure): boolean {
  return kind === "unauthorized" || kind === "no-credits" || kind === "forbidden";
}

/** Whether this attempt may have been sent. A message can be in doubt although its last attempt was provably not sent. */
function isDoubt({ kind }: Failure): boolean {
  return endings[kind].sent !== "no";
}
