/** Each method throws a usage error if the numbers cannot be read: then nothing is sent. */
export interface OptOutKeeper {
  readonly list: () => Promise<readonly OptOut[]>;
  /** Numbers that have opted out before keep their date and reason. */
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

/** Each number is a `numberKey`. */
export interface OptedOut {
  readonly size: number;
  readonly has: (number: number) => boolean;
  /** This does not wait to find out, so that the answer may be wrong. */
  readonly isCurrent: () => boolean;
  /** Throws, too, if the list of these numbers is gone. */
  readonly renew: () => Promise<OptedOut>;
}

const longestReason = 500;

export function withShortReason(optOut: OptOut): OptOut {
  const { reason } = optOut;
  if (reason === undefined || reason.length <= longestReason) return optOut;
  return { ...optOut, reason: `${reason.slice(0, longestReason - 1)}…` };
}
