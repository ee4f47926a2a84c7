import type { Outcome } from "../../src/message/outcome.ts";
import type { RunDestination } from "../../src/record/header.ts";
import { type Entry, entryOf } from "../../src/record/history.ts";
import { type KeyRequest, type OnceKeeper, onceTerms } from "../../src/record/once.ts";
import { type DayChange, dayOn, reserveOn } from "../../src/guards/daily-limit.ts";
import { readZone, type Zone } from "../../src/guards/hours.ts";
import type { Booking, SpendingKeeper, SpentDay } from "../../src/record/spending.ts";

export const to = "+254712345678";

const destination: RunDestination = {
  baseUrl: "https://sms.example.com",
  path: "/send",
  credentials: "a",
  mode: "live",
};

/** What a command asks for under a key of `--once`. */
export function termsOf(text = "Hi", number = to, where: Partial<RunDestination> = {}) {
  return onceTerms({ to: number, text }, { ...destination, ...where });
}

export const onceKey: KeyRequest = { text: "deploy-1", isInProcess: false, pauseMs: undefined };

/** Claims a key that is not used. */
export async function claimKey(keys: OnceKeeper, request = onceKey, patienceMs = 0) {
  const claim = await keys.claim(request, termsOf(), patienceMs);
  if (claim.kind === "used") throw new Error(`the key is used: ${claim.outcome.kind}`);
  return claim;
}

export function accepted(messageId: string): Outcome {
  return { kind: "accepted", receipt: { success: true, messageId, to, newBalance: 97 } };
}

/** A single message in the history, `minute` minutes after eight. */
export function entryAt(minute: number, number = to, sender = "ACME"): Entry {
  const at = Date.parse("2026-11-22T08:00:00Z") + minute * 60_000;
  const payer = { account: "a", key: "prod" };
  const outcome = accepted(`msg_${minute}`);
  return entryOf({ at, payer, mode: "live", to: number, sender: { kind: "name", name: sender }, segments: 1, outcome });
}

interface Terms extends DayChange {
  readonly now: number;
  readonly zone: Zone;
}

export const noon = Date.parse("2026-11-22T12:00:00Z");
const hour = 3_600_000;

/** When the day in UTC of `noon` ends. */
export const midnight = noon + 12 * hour;

/** At noon of a day in UTC, with a limit of 10; settles nothing. */
export function reservationOf(segments: readonly number[], terms: Partial<Terms> = {}): Terms {
  const settled = { endsAt: 0, released: 0, charged: 0, creditsPerSegment: 1 };
  return { now: noon, zone: readZone("UTC", ""), limit: 10, segments, settled, ...terms };
}

/** Settles this of the day of noon, and reserves nothing. */
export function settlement(released: number, charged: number, creditsPerSegment = 1): Terms {
  return reservationOf([], { settled: { endsAt: midnight, released, charged, creditsPerSegment } });
}

/** Reserves as the guard of a day's limit does. */
export async function reserve(keeper: SpendingKeeper, account: string, { now, zone, ...change }: Terms) {
  let granted = 0;
  let day: SpentDay | undefined;
  const next: Booking["next"] = (latest) => {
    const changed = reserveOn(dayOn(zone, now, latest), change);
    granted = changed.credits.length;
    return (day = changed.day);
  };
  await keeper.change({ account, next, granted: () => granted, fail: () => {} });
  return { ...day, granted };
}
