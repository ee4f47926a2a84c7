import type { Mode, Payer } from "../message/credentials.ts";
import type { Outcome } from "../message/outcome.ts";
import type { Sender } from "../message/sender.ts";

/** One message in the history: what `sms` sent, or tried to send, and what it cost. Never its text. */
export interface Entry {
  /** When its outcome was known. ISO 8601 in UTC, to the millisecond. */
  readonly at: string;
  /** Milliseconds before `at` at which its request had not begun; null if that is not known. */
  readonly took: number | null;
  readonly kind: "send" | "run";
  /** The name of its run. */
  readonly run: string | null;
  /** Tells accounts apart; null if that is not known. */
  readonly account: string | null;
  /** The name of the key, or where it came from. */
  readonly key: string | null;
  readonly mode: Mode;
  /** E.164. */
  readonly to: string;
  /** The sender by the answer, else as it was asked for; null for the account's default. */
  readonly sender: string | null;
  readonly outcome: Outcome["kind"];
  readonly messageId?: string | undefined;
  /** By the answer, else by our own count. */
  readonly segments: number;
  readonly totalCredits?: number | undefined;
  readonly totalCostKes?: number | undefined;
  readonly newBalance?: number | undefined;
  readonly httpStatus?: number | undefined;
  readonly errorCode?: string | undefined;
}

/** A message whose outcome is known. */
export interface Sent {
  /** When its request had not begun yet, and when its outcome was known. Milliseconds since 1970. */
  readonly begun: number | undefined;
  readonly at: number;
  readonly run?: string;
  readonly payer: Payer | undefined;
  readonly mode: Mode;
  /** E.164. */
  readonly to: string;
  readonly sender: Sender | undefined;
  /** By our own count. */
  readonly segments: number;
  readonly outcome: Outcome;
}

/** Returns the entry of a message. */
export function entryOf({ begun, at, run, payer, mode, to, sender, segments, outcome }: Sent): Entry {
  const asked = sender?.kind === "name" ? sender.name : (sender?.id ?? null);
  const receipt = outcome.kind === "accepted" ? outcome.receipt : undefined;
  const failure = outcome.kind === "accepted" ? undefined : outcome.failure;
  return {
    at: new Date(at).toISOString(),
    took: begun === undefined ? null : Math.max(0, Math.ceil(at) - Math.floor(begun)),
    kind: run === undefined ? "send" : "run",
    run: run ?? null,
    account: payer?.account ?? null,
    key: payer?.key ?? null,
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
  };
}

/** An entry as one line of JSON in ASCII, without a line end. It begins with the time. */
export function encodeEntry(entry: Entry): string {
  return JSON.stringify(entry).replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}
