/** The numbers that are never sent to. Each method throws a usage error if they cannot be read: then nothing is sent. */
export interface OptOutKeeper {
  readonly list: () => Promise<readonly OptOut[]>;
  /** Adds numbers. Those that have opted out before keep their date and reason. */
  readonly add: (more: readonly OptOut[]) => Promise<AddedOptOuts>;
  readonly remove: (numbers: readonly string[]) => Promise<void>;
  readonly numbers: () => Promise<OptedOut>;
}

export interface OptOut {
  readonly to: string;
  readonly at: string;
  readonly reason?: string;
}

export interface AddedOptOuts {
  readonly added: readonly string[];
  readonly count: number;
}

/** The numbers that had opted out at one moment, each given as `numberKey`. */
export interface OptedOut {
  readonly size: number;
  readonly has: (number: number) => boolean;
  /** Whether nothing seems to have changed since; it does not wait to find out. */
  readonly isCurrent: () => boolean;
  /** Returns the numbers as they are now. Throws, too, if the list is gone that these are of. */
  readonly renew: () => Promise<OptedOut>;
}

/** What is kept of a reason, in UTF-16 code units. */
const longestReason = 500;

export function withShortReason(optOut: OptOut): OptOut {
  const { reason } = optOut;
  if (reason === undefined || reason.length <= longestReason) return optOut;
  return { ...optOut, reason: `${reason.slice(0, longestReason - 1)}…` };
}
