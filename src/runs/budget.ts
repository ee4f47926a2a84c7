import type { Failure } from "../core/outcome.ts";
import type { Ledger } from "./ledger.ts";

/** The user's own limit on what a run may be charged. */
export interface Budget {
  /** Whether messages of this many segments, at the highest charge known, fit within the limit with all that may have been charged so far. */
  readonly fits: (segments: number) => boolean;
  /** Returns the charge in credits when it is first found over the limit; otherwise undefined. */
  readonly overrun: () => number | undefined;
}

/** Why a run stops at its limit in credits. */
export const atLimit: Failure = {
  kind: "limit",
  error: "one more message could bring the charge over --max-credits",
  errorCode: "OVER_LIMIT",
};

/** Watches a limit in credits; Infinity for none. */
export function watchBudget(limit: number, ledger: Ledger): Budget {
  let isReported = false;
  return {
    fits: (segments) => ledger.exposure + segments * ledger.creditsPerSegment <= limit,
    overrun: () => {
      if (isReported || ledger.charged <= limit) return undefined;
      isReported = true;
      return ledger.charged;
    },
  };
}
