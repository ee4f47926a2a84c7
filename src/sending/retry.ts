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

type RetryTime =
  /** A single send: the wait and the try must fit into the milliseconds that are left of its total time. */
  | { readonly kind: "total"; readonly left: number }
  /** A run: each request has its own time, and the wait is limited to `longestRunWait`. */
  | { readonly kind: "per-request" };

/**
 * Returns the wait before the next try, in milliseconds, or undefined if the message must not be tried again: only what is
 * provably unsent is, at most `retries` times after the first `attempt` (which is 1). A wait that the service asked for is
 * never cut short: if it is too long, there is no next try. A back-off is spread over its upper half by `random`, from 0 up
 * to 1, so that many senders do not come back together.
 */
export function waitBeforeRetry(
  outcome: Outcome,
  attempt: number,
  retries: number,
  time: RetryTime,
  random: number,
): number | undefined {
  if (outcome.kind !== "unsent" || outcome.retry.kind === "never" || attempt > retries) return undefined;
  const backOff = Math.min(longestBackOff, firstBackOff * 2 ** (attempt - 1)) * (0.5 + random / 2);
  const wait = outcome.retry.kind === "after" ? Math.max(outcome.retry.ms, backOff) : backOff;
  const longest = time.kind === "total" ? time.left - leastTime : longestRunWait;
  return wait <= longest ? wait : undefined;
}

/** Returns the outcome after one more attempt. A doubt stays until acceptance: the earlier attempt may have arrived. */
export function outcomeAfter(attempt: Outcome, wasUncertain: boolean): Outcome {
  if (!wasUncertain || attempt.kind === "accepted") return attempt;
  return { kind: "uncertain", failure: attempt.failure };
}
