/**
 * How late a request may begin without slowing the rate down: timers fire late, and its intent is recorded first, perhaps in a
 * database that is far away.
 */
const slackMs = 500;

/** Spaces requests evenly. All times are in milliseconds and by the same clock. */
export interface Pace {
  /** Returns the time until the next request may begin, behind `waiting` others that have not begun yet; 0 if it may now. */
  readonly wait: (now: number, waiting: number) => number;
  readonly begin: (now: number) => void;
  readonly pause: (now: number, ms: number) => void;
}

/**
 * Returns a pace of at most `perMinute` requests in any minute, evenly spaced; Infinity for no limit. `lastBegan` is when
 * the invocation before began its last request, if that is known.
 *
 * This is the generic cell rate algorithm (ITU-T I.371) with a tolerance of `slackMs`. The interval is long enough that even
 * with late requests a minute never has more than `perMinute` of them.
 */
export function openPace(perMinute: number, lastBegan?: number): Pace {
  // Slightly more than a minute, since sums of fractions round.
  const interval = (60_000.001 + slackMs) / perMinute;
  let next = lastBegan === undefined ? Infinity : lastBegan + interval;
  // Limits the wait if the clock is set back. The very first request need not wait, and gathers no lateness before it.
  let longest = lastBegan === undefined ? 0 : interval;
  const after = (now: number, count: number) => (count === 0 ? next : Math.max(next, now - slackMs) + count * interval);
  return {
    wait: (now, waiting) => {
      if (next - now > longest) next = now + longest;
      return Math.max(0, after(now, waiting) - now);
    },
    begin: (now) => {
      next = after(now, 1);
      longest = interval;
    },
    pause: (now, ms) => {
      next = Math.max(next, now + ms);
      longest = Math.max(longest, ms);
    },
  };
}
