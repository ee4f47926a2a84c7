import { keyLike } from "../words/key-like.ts";
import type { Outcome } from "../message/outcome.ts";
import { fileError, slip, SmsError, usageError } from "../errors.ts";
import type { RunHeader } from "./header.ts";
import type { JournalEntry, LeftOutEntry } from "./journal-entry.ts";
import type { LeftOutRow } from "./left-out.ts";
import type { Ledger } from "./ledger.ts";
import type { MessageSet } from "./message-set.ts";
import type { WrittenPlan, PlannedMessage, PlanRow } from "./plan.ts";
import type { Booking } from "./spending.ts";

/** Each method throws a usage error if the record cannot be used, or the name is no name of a run. */
export interface RunKeeper {
  /** By the clock of the record: one that a team shares has its own. */
  readonly now: () => Promise<number>;
  /** The list says why a run cannot be read. */
  readonly list: () => Promise<readonly ListedRun[]>;
  /** Throws `RUN_DAMAGED` if the header cannot be read. */
  readonly read: (name: string) => Promise<RecordedRun | undefined>;
  /** Within `alone`, no other run begins to send these meanwhile. Throws for a damaged run that may have sent one. */
  readonly repeats: (question: RepeatQuestion) => Promise<Repeats>;
  /** Throws `RUN_BUSY` if another process has the run. With `onWait` a database waits for an owner that may have vanished. */
  readonly open: (name: string, onWait?: (text: string) => void) => Promise<OwnRun>;
  readonly owner: (name: string) => Promise<RunOwner | undefined>;
  /** Nobody else begins a run meanwhile. */
  readonly alone: <Result>(work: () => Promise<Result>) => Promise<Result>;
  /** A damaged run is removed too. Throws `UNKNOWN_RUN` and `RUN_BUSY`. */
  readonly remove: (name: string, confirm: () => Promise<void>) => Promise<void>;
  /** Throws `UNKNOWN_RUN`, `NOT_LOCKED` if a resume needs no unlock, and `RUN_BUSY` if the owner is certainly alive. */
  readonly unlock: (name: string, confirm: (owner: string) => Promise<void>) => Promise<void>;
}

export type ListedRun =
  | { readonly kind: "run"; readonly run: RecordedRun }
  | ({ readonly kind: "unreadable" } & UnreadableRun);

export interface UnreadableRun {
  readonly name: string;
  readonly reason: string;
}

export interface Actor {
  /** The system may not know the user. */
  readonly user?: string;
  readonly machine: string;
}

/** Each method reads anew, and throws `RUN_DAMAGED` if something is missing or contradicts the rest. */
export interface RecordedRun {
  readonly header: RunHeader;
  /** Only the record of a team has this. */
  readonly by?: Actor;
  readonly lastWritten: () => Promise<number>;
  /** The plan must be the one that the run began with. */
  readonly readLedger: () => Promise<Ledger>;
  /** The plan is not read, so that segments by our own count are 0. Times are of the last intent or outcome of a message. */
  readonly readTimes: () => Promise<{ readonly ledger: Ledger; readonly times: Float64Array }>;
  readonly readMessages: (isWanted?: (index: number) => boolean) => AsyncGenerator<PlannedMessage, void>;
  readonly readEntries: (onEntry: (entry: JournalEntry, by?: Actor) => void) => Promise<void>;
  /** These are all messages that are not left out. */
  readonly readResults: () => AsyncGenerator<MessageResult, void>;
  /** Rows of the plan come first, and then messages that were left out later. */
  readonly readLeftOut: () => AsyncGenerator<LeftOutRow, void>;
}

/** The outcome of a pending message is undefined. */
export interface MessageResult {
  readonly message: PlannedMessage;
  readonly outcome: Outcome | undefined;
  /** If no outcome was known, this is the time just before the request. */
  readonly at?: number;
  /** Only the record of a team has this. */
  readonly by?: Actor;
}

export interface RepeatQuestion {
  readonly messageSet: MessageSet;
  readonly baseUrl: string;
  /** The run that asks does not repeat itself. */
  readonly name: string;
  /** This is by the clock of the record. */
  readonly now: number;
  /** A run that goes on counts from here; others count the last 12 hours. */
  readonly since?: number;
}

export interface Repeats {
  /** An index in the plan of the run that asks has the name of a run that had the message. */
  readonly indexes: ReadonlyMap<number, string>;
  /** Runs that are under way come first, then the latest. */
  readonly runs: readonly RepeatingRun[];
}

export interface RepeatingRun {
  readonly name: string;
  readonly by?: Actor;
  /** A run that is only about to send has none. */
  readonly lastAt: number | undefined;
  /** A process works on the run, and may send the rest at any moment. */
  readonly isUnderWay: boolean;
  readonly due: number;
}

/** Until its release, only this process may begin or continue the run. */
export interface OwnRun {
  readonly name: string;
  readonly read: () => Promise<RecordedRun | undefined>;
  /** Throws what reading the messages throws. */
  readonly writePlan: (rows: AsyncIterable<PlanRow> | Iterable<PlanRow>) => Promise<WrittenPlan>;
  readonly readPlan: (isWanted?: (index: number) => boolean) => AsyncGenerator<PlannedMessage, void>;
  readonly readLeftOut: () => AsyncGenerator<LeftOutRow, void>;
  readonly begin: (header: RunHeader, entries?: readonly LeftOutEntry[]) => Promise<void>;
  /** Throws `RUN_NOT_RECORDED` if the run is no longer ours. */
  readonly openWriter: () => Promise<RunWriter>;
  /** Nothing is left of a run that never began. Never throws. */
  readonly release: () => Promise<void>;
}

/** The writer adds the times. */
export type RunEntry = Exclude<JournalEntry, { readonly kind: "time" }>;

/** After the first failure each call rejects with `RUN_NOT_RECORDED`, also when the run is no longer ours. */
export interface RunWriter {
  /**
   * When this resolves for an intent or for the end of a run, the entry survives a power cut. With a booking an intent has only
   * the messages that the booking admits.
   */
  readonly record: (entry: RunEntry, at: number, booking?: Booking) => Promise<void>;
  /** Waits until all survives a power cut. Throws the first failure, also an earlier one. */
  readonly close: () => Promise<void>;
}

/** Throws `RUN_NOT_RECORDED`. Nothing of the run may be on its way. */
export async function recordOne(run: OwnRun, entry: RunEntry, at: number, booking?: Booking): Promise<void> {
  const writer = await run.openWriter();
  try {
    await writer.record(entry, at, booking);
  } finally {
    await writer.close();
  }
}

/** If the owner may be gone, `isSure` is false. */
export interface RunOwner {
  readonly process: string;
  readonly isSure: boolean;
}

/** Throws `INVALID_RUN_NAME`, also for a pasted key: the name of a run is no secret. */
export function checkRunName(name: string): string {
  if (keyLike.test(name)) throw invalidName(name, "it is an API key: name the run after what it is for");
  // Windows reserves some names, also with an extension, and none ends with a dot.
  if (isRunName(name) && !/^(con|prn|aux|nul|com\d|lpt\d)(\.|$)|\.$/i.test(name)) return name;
  const hint = "use up to 64 letters, digits, dots, hyphens and underscores, in a name that Windows can have too";
  throw invalidName(name, hint);
}

export function isRunName(name: string): boolean {
  return /^[A-Za-z0-9._-]{1,64}$/.test(name);
}

function invalidName(name: string, hint: string): Error {
  return usageError("INVALID_RUN_NAME", `${JSON.stringify(name)} is not a name for a run`, hint);
}

export function unreadableRun(name: string, error: unknown): UnreadableRun {
  const cause = fileError(error) ?? error;
  return { name, reason: cause instanceof Error ? cause.message : String(cause) };
}

export function notRecorded(what: string, cause: unknown): SmsError {
  if (cause instanceof SmsError && cause.errorCode === "RUN_NOT_RECORDED") return cause;
  const why = cause instanceof Error ? cause.message : String(cause);
  const hint = "sending has stopped; once the cause is gone, the run can be resumed";
  return new SmsError("incomplete", "RUN_NOT_RECORDED", `cannot ${what}: ${why}`, { hint, cause });
}

export function unknownRun(name: string, near?: string): Error {
  const question = near === undefined ? "" : `did you mean ${near}? `;
  return slip("UNKNOWN_RUN", `there is no run ${JSON.stringify(name)}`, `${question}\`sms runs list\` shows the runs`);
}
