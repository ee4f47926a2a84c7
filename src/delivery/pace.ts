/** A timer may fire so much late without its lateness being lost to the rate. Milliseconds. */
const slack = 20;

/** Spaces requests evenly. All times are in milliseconds, by whatever clock `now` is read from. */
export interface Pace {
  /** How long until the next request may be released; 0 where it may be at once. */
  readonly wait: (now: number) => number;
  /** A request is released now. */
  readonly release: (now: number) => void;
  /** Releases nothing for so long. */
  readonly pause: (now: number, ms: number) => void;
}

/**
 * A pace of at most `perMinute` requests in any minute, evenly spaced; Infinity for none. `lastRelease` is when the
 * invocation before released its last request, where that is known.
 *
 * It is the generic cell rate algorithm (ITU-T I.371) with a tolerance of `slack`: with this interval, one more request
 * than `perMinute` never fits in a minute, late timers included.
 */
export function openPace(perMinute: number, lastRelease?: number): Pace {
  // A hair more than a minute: sums of fractions must not bring the request after the last back into it.
  const interval = (60_000.001 + slack) / perMinute;
  let next = lastRelease === undefined ? 0 : lastRelease + interval;
  // A clock that was set back must not hold a run up for longer than was meant.
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
