import { usageError } from "../errors.ts";
import type { Outcome } from "../message/outcome.ts";
import { isBinding } from "./header.ts";
import { parseJson, byName, isDate, isNumber, isText, oneOf, optional, shape } from "../json.ts";
import { decodeEntry, encodeEntry, cutOffOutcome, outcomeFrom, resultEntry } from "./journal-entry.ts";
import { keptAfterPauseMs, type KeyRequest, type OnceUse, requireSameUse, type UsedKey } from "./once.ts";
import type { Actor } from "./runs.ts";

/** The outcome follows this first line as the entry of a journal. */
export interface OnceIntent extends OnceUse {
  readonly version: 1;
  readonly at: string;
  readonly by?: Actor;
  readonly pauseMs?: number;
}

export interface StoredKey {
  readonly intent: OnceIntent;
  readonly outcome: Outcome | undefined;
}

export function outcomeLine(outcome: Outcome): string {
  return encodeEntry(resultEntry(0, outcome));
}

export function readKeyLines(intentLine: string, outcomeText: string | undefined, what: string): StoredKey {
  const intent = parseJson(intentLine);
  const entry = outcomeText === undefined ? undefined : decodeEntry(outcomeText);
  const result = entry !== undefined && "index" in entry ? entry : undefined;
  if (!isIntent(intent) || (outcomeText !== undefined && result === undefined)) throw brokenKey(what);
  return { intent, outcome: result && outcomeFrom(result, intent.to) };
}

export function brokenKey(what: string): Error {
  const hint = "nothing is sent under it: use another key, and find out whether the message of this one arrived";
  return usageError("ONCE_DAMAGED", `${what} is broken`, hint);
}

/** Throws a usage error `ONCE_CHANGED` if the key was used for something else. */
export function usedBy(
  key: StoredKey | undefined,
  { pauseMs }: KeyRequest,
  use: OnceUse,
  now: number,
): UsedKey | undefined {
  if (key === undefined) return undefined;
  const { intent, outcome = cutOffOutcome } = notInFuture(key, now);
  if (pauseMs !== undefined && now - Date.parse(intent.at) >= pauseMs) return undefined;
  requireSameUse(intent, use, pauseMs !== undefined);
  const { at, by, binding, isSandbox = false } = intent;
  return { kind: "used", at, by, mode: binding.mode, isSandbox, outcome };
}

/** If a clock was ahead and used a key in the future, the key counts as used now, and its pause begins now. */
export function notInFuture(key: StoredKey, now: number): StoredKey {
  const { intent } = key;
  if (Date.parse(intent.at) <= now) return key;
  return { ...key, intent: { ...intent, at: new Date(now).toISOString() } };
}

export function isForgotten({ intent: { at, pauseMs } }: StoredKey, now: number): boolean {
  return pauseMs !== undefined && now - Date.parse(at) >= pauseMs + keptAfterPauseMs;
}

const isIntent = shape<OnceIntent>({
  version: oneOf(1),
  at: isDate,
  to: isText,
  digests: byName(isText),
  binding: isBinding,
  isSandbox: optional(oneOf(true)),
  pauseMs: optional(isNumber),
  by: optional(shape<Actor>({ user: optional(isText), machine: isText })),
});
