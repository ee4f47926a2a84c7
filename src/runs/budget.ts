import type { Ledger } from "./ledger.ts";

/** The user's own limit on what a run may be charged. */
export interface Budget {
  /** Whether messages of so many credits, by our own count, still fit with all that may have been charged so far. */
  readonly fits: (credits: number) => boolean;
  /** What was charged, once it is found to be over the limit; undefined ever after. Credits. */
  readonly overrun: () => number | undefined;
}

/** Watches a limit in credits; Infinity for none. */
export function watchBudget(limit: number, ledger: Ledger): Budget {
  let isTold = false;
  return {
    fits: (credits) => ledger.exposure + credits <= limit,
    overrun: () => {
      if (isTold || ledger.charged <= limit) return undefined;
      isTold = true;
      return ledger.charged;
    },
  };
}
