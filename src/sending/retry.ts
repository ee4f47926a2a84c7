import type { Outcome } from "../message/outcome.ts";

const firstBackOffMs = 500;

const longestBackOffMs = 8_000;

/** A try with less time than this would turn a certain "not sent" into a doubt. */
const leastTimeMs = 500;

/** Rate limits count by the minute, so a service that asks for more limits something else, such as a day. */
const longestRunWaitMs = 5 * 60_000;

export interface TimeLimit {
  readonly kind: "total" | "per-request";
  readonly ms: number;
}

/** `leftMs` is Infinity if each request has its own time. */
export function longestWait(leftMs: number): number {
  return leftMs === Infinity ? longestRunWaitMs : leftMs - leastTimeMs;
}

interface RetryLimits {
  /** The first try is 1. */
  readonly number: number;
  readonly retries: number;
  readonly longest: number;
  readonly random: number;
}

/** Only what is provably unsent is tried again. A wait that the service asked for is never cut short. */
export function waitBeforeRetry(
  outcome: Outcome,
  { number, retries, longest, random }: RetryLimits,
): number | undefined {
  if (outcome.kind !== "unsent" || outcome.retry.kind === "never" || number > retries) return undefined;
  // A back-off is spread over its upper half, so that many senders do not come back together.
  const backOff = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (number - 1)) * (0.5 + random / 2);
  const wait = outcome.retry.kind === "after" ? Math.max(outcome.retry.ms, backOff) : backOff;
  return wait <= longest ? wait : undefined;
}

/** A doubt stays until acceptance: the earlier attempt may have arrived. */
export function withEarlierDoubt(attempt: Outcome, wasUncertain: boolean): Outcome {
  if (!wasUncertain || attempt.kind === "accepted") return attempt;
  return { kind: "uncertain", failure: attempt.failure };
}
