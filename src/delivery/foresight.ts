/** How much more is reserved than one flush is expected to need, since both flushes and answers come unevenly. */
const margin = 4;

/** Answers are counted over at least so long. Milliseconds. */
const span = 10;

/** Tells how many messages will be sent before the next flush of the journal ends. */
export interface Foresight {
  readonly answered: () => void;
  /** A flush has ended, which took that many milliseconds. */
  readonly flushed: (ms: number) => void;
  /** So many intents, beyond those that lanes wait for, are worth having on the disk; never more than `most`. */
  readonly ahead: () => number;
}

/**
 * Watches flushes and answers. A lane that must wait for a flush loses its connection, so a fast service wants intents
 * at hand; but each of them is uncertain after a kill, so there are only as many as fly before more can be had: none
 * where a service takes longer over an answer than the disk over a flush.
 */
export function watchFlushes(most: number, now: () => number): Foresight {
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
    ahead: () => Math.min(most, Math.round(margin * answersPerMs * (flushMs + 0.5))),
  };
}
