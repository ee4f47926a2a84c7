import type { Mode, Payer } from "../service/credentials.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Sender } from "../message/sender.ts";
import type { Actor, UnreadableRun } from "./runs.ts";

/** Every try to send a message. Single messages are appended; what a run sent is read from the run. */
export interface HistoryKeeper {
  readonly append: (entry: Entry) => Promise<void>;
  /** Throws if an entry of this time could not be appended. */
  readonly requireWritable: (at: string) => Promise<void>;
  /**
   * Yields the entries since a time, the newest first, some at a time, and reads no further back than it
   * must.
   */
  readonly newest: (since: number, reading?: HistoryReading) => AsyncGenerator<readonly Entry[], void>;
  /** Keeps the entries of a run that is about to be removed. Throws `RUN_DAMAGED` if the run cannot be read. */
  readonly keepRun: (name: string) => Promise<void>;
  /** Deletes the entries before a time, the entries of runs included. Returns how many it deleted. */
  readonly prune: (before: number, onShare: OnShare) => Promise<number>;
}

export interface HistoryReading {
  /** Gets what cannot be read. */
  readonly unread?: Unread;
  readonly onShare?: OnShare;
  readonly isOfSingles?: boolean;
}

export type OnShare = (share: number) => void;

/** What of a history could not be read, or is no longer there. */
export interface Unread {
  /** Lines that are no entries: a kill or a power cut left them. */
  broken: number;
  readonly runs: UnreadableRun[];
}

export function nothingUnread(): Unread {
  return { broken: 0, runs: [] };
}

/**
 * One message in the history: what `sms` sent, or tried to send, and what it cost. Never its text. In a record that a team
 * shares it has who sent it and where.
 */
export interface Entry extends Partial<Actor> {
  /** When its outcome was known. ISO 8601 in UTC, to the millisecond. */
  readonly at: string;
  readonly kind: "send" | "run" | "watch";
  readonly run: string | null;
  /** Tells accounts apart; null if that is not known. */
  readonly account: string | null;
  readonly key: string | null;
  /** The first name of the profile that the key is of; null for one of the environment. */
  readonly profile: string | null;
  /** `sandbox` for any key that would be charged and is a sandbox's. */
  readonly mode: Mode;
  readonly to: string;
  /** The sender by the answer, else as it was asked for; null for the account's default. */
  readonly sender: string | null;
  readonly outcome: Outcome["kind"];
  readonly messageId?: string;
  /** By the answer, else by our own count. */
  readonly segments: number;
  readonly totalCredits?: number;
  readonly totalCostKes?: number;
  readonly newBalance?: number;
  readonly httpStatus?: number;
  readonly errorCode?: string;
  /** The id of an entry that is written before its request. An outcome with this id settles it; the same entry again withdraws it. */
  readonly intent?: string;
  readonly settles?: string;
}

export interface Sent extends Pick<Entry, "intent" | "settles"> {
  /** When its outcome was known. */
  readonly at: number;
  readonly run?: string;
  readonly isWatch?: boolean;
  readonly payer: Payer | undefined;
  readonly mode: Mode;
  readonly to: string;
  readonly sender: Sender | undefined;
  readonly segments: number;
  readonly outcome: Outcome;
}

export function entryOf({ at, run, isWatch, payer, mode, to, sender, segments, outcome, ...ids }: Sent): Entry {
  const asked = sender?.kind === "name" ? sender.name : (sender?.id ?? null);
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
    sender: receipt?.senderId ?? asked,
    outcome: outcome.kind,
    messageId: receipt?.messageId,
    segments: receipt?.segments ?? segments,
    totalCredits: receipt?.totalCredits,
    totalCostKes: receipt?.totalCostKes,
    newBalance: receipt?.newBalance,
    httpStatus: failure?.httpStatus,
    errorCode: failure?.errorCode,
    intent: ids.intent,
    settles: ids.settles,
  };
}

/** The line of an intent has its members in this order, without their names: its outcome has most of them again. */
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
] as const;

export function entryLine(entry: Entry): string {
  return JSON.stringify(entry.intent === undefined ? entry : intentMembers.map((name) => entry[name]));
}
