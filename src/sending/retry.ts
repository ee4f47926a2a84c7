import type { Outcome } from "../message/outcome.ts";

const firstBackOffMs = 500;

const longestBackOffMs = 8_000;

/** A try with less time than this would turn a certain "not sent" into a doubt, so it is not made. */
const leastTimeMs = 500;

/**
 * The longest wait of a run for one retry. Rate limits count by the minute, so a service that asks for more than this limits
 * something else, such as a day. The run then ends as `rate-limited` and can be resumed.
 */
const longestRunWaitMs = 5 * 60_000;

/** How long sending may take: all tries of a message together, with the waits between them, or each request. */
export interface TimeLimit {
  readonly kind: "total" | "per-request";
  readonly ms: number;
}

/** `leftMs` is Infinity if each request has its own time. */
export function longestWait(leftMs: number): number {
  return leftMs === Infinity ? longestRunWaitMs : leftMs - leastTimeMs;
}

interface RetryTerms {
  /** Which try the outcome is of, from 1. */
  readonly number: number;
  readonly retries: number;
  readonly longest: number;
  readonly random: number;
}

/**
 * Milliseconds before the next try; undefined if the message must not be tried again: only what is provably unsent is.
 * A wait that the service asked for is never cut short: if it is too long, there is no next try. `random`
 * spreads a back-off over its upper half, so that many senders do not come back together.
 */
export function waitBeforeRetry(
  outcome: Outcome,
  { number, retries, longest, random }: RetryTerms,
): number | undefined {
  if (outcome.kind !== "unsent" || outcome.retry.kind === "never" || number > retries) return undefined;
  const backOff = Math.min(longestBackOffMs, firstBackOffMs * 2 ** (number - 1)) * (0.5 + random / 2);
  const wait = outcome.retry.kind === "after" ? Math.max(outcome.retry.ms, backOff) : backOff;
  return wait <= longest ? wait : undefined;
}

/** Returns the outcome after one more attempt. A doubt stays until acceptance: the earlier attempt may have arrived. */
export function outcomeAfter(attempt: Outcome, wasUncertain: boolean): Outcome {
  if (!wasUncertain || attempt.kind === "accepted") return attempt;
  return { kind: "uncertain", failure: attempt.failure };
}
