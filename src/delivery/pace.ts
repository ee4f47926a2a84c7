/** How late a timer may fire without slowing the rate down. Milliseconds. */
const slack = 20;

/** Spaces requests evenly. All times are in milliseconds and by the same clock. */
export interface Pace {
  /** Returns the time until the next request may be released, or 0. */
  readonly wait: (now: number) => number;
  readonly release: (now: number) => void;
  /** Lets no request be released for `ms`. */
  readonly pause: (now: number, ms: number) => void;
}

/**
 * Returns a pace of at most `perMinute` requests in any minute, evenly spaced; Infinity for no limit. `lastRelease` is when
 * the invocation before released its last request, if that is known.
 *
 * This is the generic cell rate algorithm (ITU-T I.371) with a tolerance of `slack`. The interval is long enough that even
 * with late timers a minute never has more than `perMinute` requests.
 */
export function openPace(perMinute: number, lastRelease?: number): Pace {
  // Slightly more than a minute, since sums of fractions round.
  const interval = (60_000.001 + slack) / perMinute;
  let next = lastRelease === undefined ? 0 : lastRelease + interval;
  // Limits the wait if the clock is set back.
  let longest = interval;
  return {
    wait: (now) => {
      if (next - now > longest) next = now + longest;
      return Math.max(0, next - now);
    },
    release: (now) => {
      next = Math.max(next, now - slack) + interval;
      longest = interval;
    },
    pause: (now, ms) => {
      next = Math.max(next, now + ms);
      longest = Math.max(longest, ms);
    },
  };
}
