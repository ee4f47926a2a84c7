/** How much more is reserved than one flush is expected to need, since both flushes and answers come unevenly. */
const margin = 6;

/** From so many answers a millisecond on, reserving is worth its doubts. */
const fast = 0.25;

/** So many for each lane are enough for the slowest disk, and for flushes so few that they cost little processor time. */
const most = 16;

/** Answers are counted over at least so long, since those to requests that began together come together. Milliseconds. */
const span = 250;

/** Tells how many messages will be sent before the next flush of the journal ends. */
export interface Foresight {
  readonly answered: () => void;
  /** A flush has ended, which took that many milliseconds. */
  readonly flushed: (ms: number) => void;
  /** So many intents, beyond those that lanes wait for, are worth having on the disk. */
  readonly ahead: () => number;
}

/**
 * Watches flushes and answers, at `lanes` requests in flight. A lane that must wait for a flush loses its connection, so
 * at full speed intents must be at hand; but each of them is uncertain after a kill, so there are only as many as fly
 * before more can be had, and none at the speed of any tier.
 */
export function watchFlushes(lanes: number, now: () => number): Foresight {
  let flushMs = 0;
  let answersPerMs = 0;
  let answers = 0;
  let since = now();
  return {
    answered: () => {
      answers++;
    },
    flushed: (ms) => {
      flushMs += (ms - flushMs) / 8;
      const elapsed = now() - since;
      if (elapsed < span) return;
      answersPerMs = answers / elapsed;
      answers = 0;
      since += elapsed;
    },
    ahead: () => {
      if (answersPerMs < fast) return 0;
      // The clock counts whole milliseconds, and a flush takes about half of one more.
      return Math.min(most * lanes, Math.floor(margin * answersPerMs * (flushMs + 0.5)));
    },
  };
}
