import type { Outcome } from "../../src/message/outcome.ts";
import type { RunDestination } from "../../src/record/header.ts";
import { type HistoryEntry, entryOf } from "../../src/record/history.ts";
import { type KeyRequest, type OnceKeeper, onceUse } from "../../src/record/once.ts";
import type { Booking, SpendingKeeper, SpentDay } from "../../src/record/spending.ts";

export const to = "+254712345678";

const destination: RunDestination = {
  baseUrl: "https://sms.example.com",
  path: "/send",
  credentials: "a",
  mode: "live",
};

/** What a command asks for under a key of `--once`. */
export function useOf(text = "Hi", number = to, where: Partial<RunDestination> = {}) {
  return onceUse({ to: number, text }, { ...destination, ...where });
}

export const onceKey: KeyRequest = { text: "deploy-1", isInProcess: false, pauseMs: undefined };

/** Claims a key that is not used. */
export async function claimKey(keys: OnceKeeper, request = onceKey, patienceMs = 0) {
  const claim = await keys.claim(request, useOf(), patienceMs);
  if (claim.kind === "used") throw new Error(`the key is used: ${claim.outcome.kind}`);
  return claim;
}

export function accepted(messageId: string): Outcome {
  return { kind: "accepted", receipt: { success: true, messageId, to, newBalance: 97 } };
}

/** A single message in the history, `minute` minutes after eight. */
export function entryAt(minute: number, number = to, sender = "ACME"): HistoryEntry {
  const at = Date.parse("2026-11-22T08:00:00Z") + minute * 60_000;
  const payer = { account: "a", key: "prod" };
  const outcome = accepted(`msg_${minute}`);
  const ofSend = { run: undefined, isWatch: false, intent: undefined, settles: undefined };
  const message = { to: number, sender: { kind: "name", name: sender }, segments: 1 } as const;
  return entryOf({ ...ofSend, ...message, at, payer, mode: "live", outcome });
}

export const emptyDay = { endsAt: Date.parse("2026-11-23T00:00:00Z"), spent: 0, reserved: 0, creditsPerSegment: 1 };

/** Reserves credits of a day if no more than 10 are reserved then, or gives some back. */
export async function reserve(keeper: SpendingKeeper, account: string, credits: number) {
  let granted = 0;
  let day: SpentDay | undefined;
  const next: Booking["next"] = (latest = emptyDay) => {
    granted = latest.reserved + credits <= 10 ? 1 : 0;
    return (day = { ...latest, reserved: latest.reserved + granted * credits });
  };
  await keeper.change({ account, next, granted: () => granted, fail: () => {} });
  return { ...day, granted };
}
