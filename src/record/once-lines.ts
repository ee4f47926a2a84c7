import { usageError } from "../errors.ts";
import type { Outcome } from "../message/outcome.ts";
import { isBinding } from "./header.ts";
import { parseJson, byName, isDate, isText, oneOf, optional, shape } from "../json.ts";
import { decodeEntry, encodeEntry, noResult, outcomeFrom, resultEntry } from "./journal-entry.ts";
import { type OnceKey, type OnceTerms, requireSameTerms, type UsedKey } from "./once.ts";
import type { Actor } from "./runs.ts";

/** The first line of what is recorded of a key. The outcome follows as the entry of a journal. */
export interface OnceIntent extends OnceTerms {
  readonly version: 1;
  /** When the request was about to begin. ISO 8601, UTC. */
  readonly at: string;
  readonly by?: Actor;
}

export interface StoredKey {
  readonly intent: OnceIntent;
  readonly outcome: Outcome | undefined;
}

export function outcomeLine(outcome: Outcome): string {
  return encodeEntry(resultEntry(0, outcome));
}

/** Reads what is recorded of a key. Throws a usage error `ONCE_DAMAGED`, which names `what`, if it is not what sms wrote. */
export function readKeyLines(intentLine: string, outcomeText: string | undefined, what: string): StoredKey {
  const intent = parseJson(intentLine);
  const entry = outcomeText === undefined ? undefined : decodeEntry(outcomeText);
  const result = entry !== undefined && "index" in entry ? entry : undefined;
  if (!isIntent(intent) || (outcomeText !== undefined && result === undefined)) {
    const hint = "nothing is sent under it: use another key, and find out whether the message of this one arrived";
    throw usageError("ONCE_DAMAGED", `${what} is broken`, hint);
  }
  return { intent, outcome: result && outcomeFrom(result, intent.to) };
}

/** Returns what used a key up; undefined if it can be used. Throws a usage error `ONCE_CHANGED` if it was used for something else. */
export function usedBy(
  stored: StoredKey | undefined,
  { key: { pause }, terms, now }: { readonly key: OnceKey; readonly terms: OnceTerms; readonly now: number },
): UsedKey | undefined {
  if (stored === undefined) return undefined;
  const { intent, outcome = noResult } = stored;
  if (pause !== undefined && now - Date.parse(intent.at) >= pause) return undefined;
  requireSameTerms(intent, terms, pause !== undefined);
  const { at, by, binding } = intent;
  return { kind: "used", at, by, mode: binding.mode, outcome };
}

const isIntent = shape<OnceIntent>({
  version: oneOf(1),
  at: isDate,
  to: isText,
  digests: byName(isText),
  binding: isBinding,
  by: optional(shape<Actor>({ user: optional(isText), machine: isText })),
});
