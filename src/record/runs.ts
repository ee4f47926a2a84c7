import { keyLike } from "../words/key-like.ts";
import type { Outcome } from "../message/outcome.ts";
import { fileError, SmsError, usageError } from "../errors.ts";
import type { RunHeader } from "./header.ts";
import type { JournalEntry } from "./journal-entry.ts";
import type { Ledger } from "./ledger.ts";
import type { MessageSet } from "./message-set.ts";
import type { DraftMessage, NewPlan, PlannedMessage } from "./plan.ts";

/** The runs of a record. Each method throws a usage error if the record cannot be used, or the name is no name of a run. */
export interface RunKeeper {
  readonly place: string;
  /** Finds all runs that have begun, and says why one cannot be read. */
  readonly list: () => Promise<readonly ListedRun[]>;
  /** Finds a run that has begun. Throws `RUN_DAMAGED` if what it began with cannot be read. */
  readonly read: (name: string) => Promise<RecordedRun | undefined>;
  /**
   * Finds the messages that other runs have sent to phones at this base URL within the last 12 hours, or are sending now. If it is
   * asked within `alone`, by a run that is open, then no other run begins to send one of them meanwhile. Throws for a run that is
   * damaged and may have sent one.
   */
  readonly repeats: (question: RepeatQuestion) => Promise<Repeats>;
  /**
   * Takes a run, which need not have begun, for this process alone. Throws `RUN_BUSY` if another has it. Waits for certainty about
   * an owner whose machine may have vanished, if `onWait` is given, which gets a sentence for people.
   */
  readonly open: (name: string, onWait?: (text: string) => void) => Promise<OpenRun>;
  readonly owner: (name: string) => Promise<RunOwner | undefined>;
  /** Does work while nobody else begins a run. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** Removes a run, even a damaged one, once `confirm` returns. Throws `UNKNOWN_RUN` and `RUN_BUSY`. */
  readonly remove: (name: string, confirm: () => Promise<void>) => Promise<void>;
  /**
   * Takes a run away from an owner that may be gone, once a person says that it is: `confirm` gets its name in words. Throws
   * `UNKNOWN_RUN`, `NOT_LOCKED` if the run can be resumed without that, and `RUN_BUSY` if the owner is certainly alive.
   */
  readonly unlock: (name: string, confirm: (owner: string) => Promise<void>) => Promise<void>;
}

export type ListedRun =
  | { readonly kind: "run"; readonly run: RecordedRun }
  | ({ readonly kind: "unreadable" } & UnreadableRun);

export interface UnreadableRun {
  readonly name: string;
  readonly reason: string;
}

/** Who gave a command, and on which machine. */
export interface Actor {
  /** Absent if the system does not know the user. */
  readonly user?: string;
  readonly machine: string;
}

/** A run that has begun. Its methods read it anew, and throw `RUN_DAMAGED` if something is missing or contradicts the rest. */
export interface RecordedRun {
  readonly header: RunHeader;
  /** Who began it, in a record that a team shares. */
  readonly by?: Actor;
  /** Returns when anything was last recorded of it. */
  readonly lastWritten: () => Promise<number>;
  /** Checks that the plan is what the run began with, and adds up all entries. */
  readonly readLedger: () => Promise<Ledger>;
  /** Adds up all entries, without a look at the plan: segments by our own count are 0. */
  readonly readCounts: () => Promise<Ledger>;
  /** Adds up all entries, as `readCounts`, and has for each message the time of its last intent or outcome. */
  readonly readTimes: () => Promise<{ readonly ledger: Ledger; readonly times: Float64Array }>;
  readonly readMessages: (isWanted?: (index: number) => boolean, end?: number) => AsyncGenerator<PlannedMessage, void>;
  /** Calls `onEntry` with each entry, in the order in which they were recorded, and with who recorded it. */
  readonly readEntries: (onEntry: (entry: JournalEntry, by?: Actor) => void) => Promise<void>;
  /** Leaves out what other runs sent in place of this one. */
  readonly readResults: () => AsyncGenerator<MessageResult, void>;
}

/** The outcome of one message of a run; undefined while it is pending. */
export interface MessageResult {
  readonly message: PlannedMessage;
  readonly outcome: Outcome | undefined;
  readonly isDue: boolean;
  /** When the outcome was known, or the request was about to begin if it never was. */
  readonly at?: number;
  /** Who sent it, in a record that a team shares. */
  readonly by?: Actor;
}

/** Which of its messages a run asks for, and when. */
export interface RepeatQuestion {
  readonly messages: MessageSet;
  readonly baseUrl: string;
  /** The run that asks: it does not repeat itself. */
  readonly name: string;
  /** By the wall clock. */
  readonly now: number;
  /** For a run that goes on, when it began to count; else the last 12 hours count. */
  readonly since?: number;
}

/** The messages that other runs have sent within the last 12 hours or are sending now. */
export interface Repeats {
  /** By the index in the plan of the run that asks. */
  readonly indexes: ReadonlySet<number>;
  /** The runs that sent them, those that are under way first, then the latest. */
  readonly runs: readonly RepeatingRun[];
}

export interface RepeatingRun {
  readonly name: string;
  /** Who began it, in a record that a team shares. */
  readonly by?: Actor;
  /** How many of the asked messages it has sent or is sending. */
  readonly messages: number;
  /** When it sent the last of them; undefined if it is only about to. */
  readonly lastAt: number | undefined;
  /** Whether a process works on it now, so that it may send what is left of it at any moment. */
  readonly isUnderWay: boolean;
  /** How many messages of its own it has left to send. */
  readonly due: number;
}

/** A run that this process alone may begin or continue, until it releases it. */
export interface OpenRun {
  readonly name: string;
  readonly read: () => Promise<RecordedRun | undefined>;
  /** Keeps the messages that the run is to begin with. Passes on what reading the messages throws. */
  readonly plan: (messages: AsyncIterable<DraftMessage> | Iterable<DraftMessage>) => Promise<NewPlan>;
  readonly readPlan: (isWanted?: (index: number) => boolean) => AsyncGenerator<PlannedMessage, void>;
  /** Begins the run. The messages that are `repeated` are never sent. */
  readonly begin: (header: RunHeader, repeated?: Iterable<number>) => Promise<void>;
  /** Opens the run to record what is sent. Throws `RUN_NOT_RECORDED` if it is no longer ours. */
  readonly openWriter: () => Promise<RunWriter>;
  /** Gives the run back. Nothing is left of a run that never began. Never throws. */
  readonly release: () => Promise<void>;
}

/** What is recorded of a run. Its writer adds the times. */
export type RunEntry = Exclude<JournalEntry, { readonly kind: "time" }>;

/**
 * Records what is sent. Calls that come together are recorded together. After the first failure each call rejects with it:
 * `RUN_NOT_RECORDED`, also when the run is no longer ours.
 */
export interface RunWriter {
  /**
   * Records an entry. When it resolves for an intent, or for the end of a run, even a power cut leaves that known. `at` is in
   * milliseconds since 1970.
   */
  readonly record: (entry: RunEntry, at: number) => Promise<void>;
  /** Waits until all is as certain as an intent. Throws the first failure, also an earlier one. */
  readonly close: () => Promise<void>;
}

/** Records one entry of a run in which nothing is being sent. Throws `RUN_NOT_RECORDED`. */
export async function recordOne(run: OpenRun, entry: RunEntry, at: number): Promise<void> {
  const writer = await run.openWriter();
  try {
    await writer.record(entry, at);
  } finally {
    await writer.close();
  }
}

/** The process that works on a run, in words. `isSure` is false if it may be gone. */
export interface RunOwner {
  readonly process: string;
  readonly isSure: boolean;
}

/**
 * Returns the name of a run if it has 1 to 64 letters, digits, dots, hyphens and underscores and Windows can have a folder of
 * that name; else throws `INVALID_RUN_NAME`. A key that was pasted as the name is refused: the name of a run is no secret.
 */
export function checkRunName(name: string): string {
  if (keyLike.test(name)) throw invalidName(name, "it is an API key: name the run after what it is for");
  // Windows reserves some names, also with an extension, and none ends with a dot.
  if (isRunName(name) && !/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|\.$/i.test(name)) return name;
  throw invalidName(
    name,
    "use up to 64 letters, digits, dots, hyphens and underscores, in a name that Windows can have too",
  );
}

export function isRunName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name);
}

function invalidName(name: string, hint: string): Error {
  return usageError("INVALID_RUN_NAME", `${JSON.stringify(name)} is not a name for a run`, hint);
}

export function unreadableRun(name: string, error: unknown): UnreadableRun {
  const known = fileError(error) ?? error;
  return { name, reason: known instanceof Error ? known.message : String(known) };
}

export function notRecorded(what: string, cause: unknown): SmsError {
  if (cause instanceof SmsError && cause.errorCode === "RUN_NOT_RECORDED") return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  return new SmsError("incomplete", `cannot ${what}: ${why}`, {
    errorCode: "RUN_NOT_RECORDED",
    hint: "sending has stopped; `sms runs show` says what is recorded, and `sms runs resume` goes on",
    cause,
  });
}
