import { fileError } from "../errors.ts";
import type { Outcome } from "../message/outcome.ts";
import type { RunBinding, RunHeader } from "./header.ts";
import type { JournalEntry } from "./journal-entry.ts";
import type { MessageResult } from "./folder/journal-reader.ts";
import type { Ledger } from "./ledger.ts";
import type { DraftMessage, NewPlan, PlannedMessage, PlanSummary } from "./plan.ts";

/** Receives how far a pass over the plan or the entries of a run has come since the last call: 1 in all. */
type OnPass = (share: number) => void;

/** The runs of a record. Each method throws a usage error if the record cannot be used. */
export interface RunKeeper {
  /** Where the runs are kept, for people. */
  readonly place: string;
  /** Names all runs, and says why one cannot be read. */
  readonly list: () => Promise<readonly ListedRun[]>;
  /** Finds a run that has begun. Throws `RUN_DAMAGED` if its header cannot be read. */
  readonly read: (name: string, onPass?: OnPass) => Promise<RecordedRun | undefined>;
  /** Finds all runs of the same messages to the same destination. */
  readonly alike: (plan: PlanSummary, binding: RunBinding) => Promise<readonly RecordedRun[]>;
  /** Takes a run, which need not have begun, for this process alone. Throws `RUN_BUSY` if another has it. */
  readonly hold: (name: string, onPass?: OnPass) => Promise<HeldRun>;
  /** Returns who holds a run; undefined if nobody does. */
  readonly holder: (name: string) => Promise<RunHolder | undefined>;
  /** Does work while nobody else begins a run. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Removes a run, even a damaged one, once `confirm` returns. Throws `UNKNOWN_RUN` and `RUN_BUSY`. */
  readonly remove: (name: string, confirm: () => Promise<void>) => Promise<void>;
  /**
   * Takes a run away from a holder that may be gone, once a person says that it is: `confirm` gets its name in words. Throws
   * `UNKNOWN_RUN`, `NOT_LOCKED` if the run can be resumed without that, and `RUN_BUSY` if the holder is certainly alive.
   */
  readonly unlock: (name: string, confirm: (holder: string) => Promise<void>) => Promise<void>;
}

/** A run in a list. */
export type ListedRun =
  | { readonly kind: "run"; readonly run: RecordedRun }
  | ({ readonly kind: "unreadable" } & UnreadableRun);

/** A run that cannot be read, and why. */
export interface UnreadableRun {
  readonly name: string;
  readonly reason: string;
}

/** Returns a run that the error keeps from being read. */
export function unreadableRun(name: string, error: unknown): UnreadableRun {
  const known = fileError(error) ?? error;
  return { name, reason: known instanceof Error ? known.message : String(known) };
}

/** A run that has begun. Its methods read anew and throw `RUN_DAMAGED` for what contradicts itself or is missing. */
export interface RecordedRun {
  readonly name: string;
  readonly header: RunHeader;
  /** Returns when an intent or an outcome was last recorded, in milliseconds since 1970; undefined if none was. */
  readonly lastWritten: () => Promise<number | undefined>;
  /** Checks that the plan is what the run began with, and adds up all entries. */
  readonly ledger: () => Promise<Ledger>;
  /** Adds up all entries without the plan: segments by our own count are 0. */
  readonly counts: () => Promise<Ledger>;
  /** Yields the messages that `isWanted` accepts, in order, up to the index `end`, which is not included. */
  readonly messages: (isWanted?: (index: number) => boolean, end?: number) => AsyncGenerator<PlannedMessage, void>;
  /** Calls `onEntry` with each entry, in the order in which they were recorded. */
  readonly entries: (onEntry: (entry: JournalEntry) => void) => Promise<void>;
  /** Yields what became of each message, in the order of the plan. */
  readonly results: () => AsyncGenerator<MessageResult, void>;
}

/** A run that this process alone may begin or continue, until it releases it. */
export interface HeldRun {
  readonly name: string;
  /** Reads the run as it is now; undefined if it has not begun. */
  readonly read: () => Promise<RecordedRun | undefined>;
  /** Records the messages that the run is to begin with. Passes on what reading the messages throws. */
  readonly plan: (messages: AsyncIterable<DraftMessage> | Iterable<DraftMessage>) => Promise<NewPlan>;
  /** Begins the run with the messages that were planned. */
  readonly begin: (header: RunHeader) => Promise<void>;
  /** Opens the run to record what is sent. */
  readonly open: () => Promise<RunWriter>;
  /** Gives the run back. Nothing is left of a run that never began. Never throws. */
  readonly release: () => Promise<void>;
}

/**
 * Records what is sent. `at` is in milliseconds since 1970. After the first failure each call rejects with it: a usage error
 * `RUN_NOT_RECORDED`, also when the run is no longer held. Calls that come together are recorded together.
 */
export interface RunWriter {
  /** Resolves when it is certain that it would be known after a crash that these messages may have been sent. */
  readonly intend: (indexes: readonly number[], at: number) => Promise<void>;
  /** The requests of these messages never began. */
  readonly withdraw: (indexes: readonly number[], at: number) => Promise<void>;
  readonly settle: (index: number, outcome: Outcome, at: number) => Promise<void>;
  /** The summary of all that is recorded was shown. */
  readonly end: () => Promise<void>;
  /** Waits until all is as certain as an intent. Throws the first failure, also an earlier one. */
  readonly close: () => Promise<void>;
}

/** The process that holds a run, in words. `isSure` is false if it may be gone. */
export interface RunHolder {
  readonly process: string;
  readonly isSure: boolean;
}
