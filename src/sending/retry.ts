import type { Outcome } from "../message/outcome.ts";

/** The first wait of a back-off, which doubles with each further try. Milliseconds. */
const firstBackOff = 500;

/** The longest wait of a back-off. Milliseconds. */
const longestBackOff = 8_000;

/** A try with less time than this would turn a certain "not sent" into a doubt, so it is not made. Milliseconds. */
const leastTime = 500;

/**
 * The longest wait of a run for one retry. Rate limits count by the minute, so a service that asks for more than this limits
 * something else, such as a day. The run then ends as `rate-limited` and can be resumed. Milliseconds.
 */
const longestRunWait = 5 * 60_000;

/** How long sending may take: all tries of a message together, with the waits between them, or each request. Milliseconds. */
export interface TimeLimit {
  readonly kind: "total" | "per-request";
  readonly ms: number;
}

/** Returns the longest wait for a retry if that much time is `left`, in milliseconds; Infinity if each request has its own. */
export function longestWait(left: number): number {
  return left === Infinity ? longestRunWait : left - leastTime;
}

interface RetryTerms {
  /** Which try the outcome is of, from 1. */
  readonly number: number;
  /** Tries after the first. */
  readonly retries: number;
  /** Milliseconds. */
  readonly longest: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * Returns the wait before the next try, in milliseconds, or undefined if the message must not be tried again: only what is
 * provably unsent is. A wait that the service asked for is never cut short: if it is too long, there is no next try. `random`
 * spreads a back-off over its upper half, so that many senders do not come back together.
 */
export function waitBeforeRetry(
  outcome: Outcome,
  { number, retries, longest, random }: RetryTerms,
): number | undefined {
  if (outcome.kind !== "unsent" || outcome.retry.kind === "never" || number > retries) return undefined;
  const backOff = Math.min(longestBackOff, firstBackOff * 2 ** (number - 1)) * (0.5 + random / 2);
  const wait = outcome.retry.kind === "after" ? Math.max(outcome.retry.ms, backOff) : backOff;
  return wait <= longest ? wait : undefined;
}

/** Returns the outcome after one more attempt. A doubt stays until acceptance: the earlier attempt may have arrived. */
export function outcomeAfter(attempt: Outcome, wasUncertain: boolean): Outcome {
  if (!wasUncertain || attempt.kind === "accepted") return attempt;
  return { kind: "uncertain", failure: attempt.failure };
}
