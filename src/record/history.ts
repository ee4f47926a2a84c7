import type { Mode, Payer } from "../service/credentials.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Sender } from "../message/sender.ts";
import type { LeftOutReason } from "./left-out.ts";
import type { Actor, UnreadableRun } from "./runs.ts";

/** Single messages are appended; messages of a run are read from the run. */
export interface HistoryKeeper {
  readonly append: (entry: HistoryEntry) => Promise<void>;
  /** Throws if an entry of this time could not be appended. */
  readonly requireWritable: (at: string) => Promise<void>;
  /** The newest entry comes first, and nothing is read that is older than necessary. */
  readonly newest: (since: number, reading: HistoryReading) => AsyncGenerator<readonly HistoryEntry[], void>;
  /** The costs come in no order, and later ones may be of the same day. Only the first day may be cut by `since`. */
  readonly costs: (since: number, reading: HistoryReading) => AsyncGenerator<readonly Cost[], void>;
  /** Throws `RUN_DAMAGED` if the run cannot be read. */
  readonly keepRun: (name: string) => Promise<void>;
  /** The result is the number of deleted entries, entries of runs included. */
  readonly prune: (before: number, onShare: OnShare) => Promise<number>;
}

export interface HistoryReading {
  readonly unread?: Unread;
  readonly onShare?: OnShare;
  /** With this number come the runs that left the number out. */
  readonly to?: string;
}

export type OnShare = (share: number) => void;

export interface Unread {
  /** A kill or a power cut leaves lines that are no entries. */
  broken: number;
  readonly runs: UnreadableRun[];
}

export function nothingUnread(): Unread {
  return { broken: 0, runs: [] };
}

/** An entry never has the text of the message. Only a record that a team shares has the actor. */
export interface HistoryEntry extends Partial<Actor> {
  /** The outcome was known at this time, in ISO 8601 and UTC. */
  readonly at: string;
  readonly kind: "send" | "run" | "watch";
  readonly run: string | null;
  readonly account: string | null;
  readonly key: string | null;
  /** A key of the environment has no profile; a renamed profile has its first name. */
  readonly profile: string | null;
  /** A key that would be charged is `sandbox` if its base URL is of a sandbox. */
  readonly mode: Mode;
  readonly to: string;
  /** The answer's sender comes before the requested one; null is the account's default. */
  readonly sender: string | null;
  readonly outcome: Outcome["kind"] | "left-out";
  readonly messageId?: string;
  /** The answer's count comes before our own. */
  readonly segments: number;
  readonly totalCredits?: number;
  readonly totalCostKes?: number;
  readonly newBalance?: number;
  readonly httpStatus?: number;
  readonly errorCode?: string;
  /** Only an entry of a number that a run left out has these. */
  readonly reason?: LeftOutReason;
  readonly details?: string;
  /** An outcome with this id settles the intent; a second entry with this id withdraws the intent. */
  readonly intent?: string;
  readonly settles?: string;
}

export interface Amounts {
  messages: number;
  segments: number;
  /** If a receipt has no credits, our own count applies. */
  credits: number;
  kes: number;
  readonly uncertain: { messages: number; credits: number };
}

/** The messages have the day, in UTC, and all of these in common. */
export interface Cost extends Amounts, Pick<HistoryEntry, "key" | "profile" | "run" | "mode" | "sender"> {
  readonly day: string;
}

export interface Sent extends Pick<HistoryEntry, "intent" | "settles"> {
  readonly at: number;
  readonly run: string | undefined;
  readonly isWatch: boolean | undefined;
  readonly payer: Payer | undefined;
  readonly mode: Mode;
  readonly to: string;
  readonly sender: Sender | undefined;
  readonly segments: number;
  readonly outcome: Outcome;
}

/** A member that may be undefined is written all the same: the compiler asks for each. */
type Whole<Members> = { readonly [Name in keyof Required<Members>]: Members[Name] };

export function entryOf({
  at,
  run,
  isWatch,
  payer,
  mode,
  to,
  sender,
  segments,
  outcome,
  intent,
  settles,
}: Whole<Sent>): Whole<Omit<HistoryEntry, keyof Actor | "reason" | "details">> {
  const receipt = outcome.kind === "accepted" ? outcome.receipt : undefined;
  const failure = outcome.kind === "accepted" ? undefined : outcome.failure;
  return {
    at: new Date(at).toISOString(),
    kind: run !== undefined ? "run" : isWatch ? "watch" : "send",
    run: run ?? null,
    account: payer?.account ?? null,
    key: payer?.key ?? null,
    profile: payer?.profile ?? null,
    mode,
    to,
    sender: receipt?.senderId ?? (sender?.kind === "name" ? sender.name : (sender?.id ?? null)),
    outcome: outcome.kind,
    messageId: receipt?.messageId,
    segments: receipt?.segments ?? segments,
    totalCredits: receipt?.totalCredits,
    totalCostKes: receipt?.totalCostKes,
    newBalance: receipt?.newBalance,
    httpStatus: failure?.httpStatus,
    errorCode: failure?.errorCode,
    intent,
    settles,
  };
}

/** The line of an intent would have null for one that is undefined, which is then no entry when it is read. */
type NeverUndefined = {
  [Name in keyof HistoryEntry]-?: undefined extends HistoryEntry[Name] ? never : Name;
}[keyof HistoryEntry];

/** The outcome repeats most members, so that the line of an intent leaves their names out. */
export const intentMembers = [
  "at",
  "intent",
  "kind",
  "account",
  "key",
  "profile",
  "mode",
  "to",
  "sender",
  "segments",
] as const satisfies readonly (NeverUndefined | "intent")[];

export function entryLine(entry: HistoryEntry): string {
  return JSON.stringify(entry.intent === undefined ? entry : intentMembers.map((name) => entry[name]));
}
