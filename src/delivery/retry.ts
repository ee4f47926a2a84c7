import type { RetryAdvice } from "../core/outcome.ts";

/** The first wait of a back-off, which doubles with each further try. Milliseconds. */
const firstWait = 500;

/** No back-off waits longer. Milliseconds. */
const longestWait = 8_000;

/** A try that would have less time than this is not begun: it would turn a certain "not sent" into a doubt. Milliseconds. */
const leastTime = 500;

/**
 * How long to wait before try number `next` (2 is the first retry), in milliseconds, or undefined where a further try
 * would be wrong or has no time within `timeLeft`. `random` is from 0 up to 1; a back-off is spread over its upper half so
 * that many senders do not come back together. A wait that the service asked for is never cut short.
 */
export function retryWait(
  advice: RetryAdvice,
  next: number,
  timeLeft: number,
  random: number,
): number | undefined {
  if (advice.kind === "never") return undefined;
  const backOff = Math.min(longestWait, firstWait * 2 ** (next - 2)) * (0.5 + random / 2);
  const wait = advice.kind === "after" ? Math.max(advice.ms, backOff) : backOff;
  return wait + leastTime <= timeLeft ? wait : undefined;
}
