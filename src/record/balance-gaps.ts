import { rounded } from "../message/outcome.ts";

/** A message that one account was charged for, or may have been. Times in milliseconds since 1970. */
export interface Charge {
  /** A time before its request, and the time of its outcome. */
  readonly begun: number;
  readonly at: number;
  readonly credits: number;
  /** Credits that it left in the account; undefined if no receipt says so. */
  readonly balance: number | undefined;
}

/** Credits that left an account between two charges of this machine. */
export interface Gap {
  /** They left after the first of these and before the second. Milliseconds since 1970. */
  readonly after: number;
  readonly before: number;
  readonly credits: number;
  /** Those that messages of this machine without a receipt may have been charged. */
  readonly uncertain: number;
}

/**
 * Returns the credits that left one account between groups of charges: the balance after one group less the balance before
 * the next. It is never too much, because credits that came in only make it smaller, and uncertain messages explain what they
 * can. What left while requests overlapped is not known.
 */
export function findGaps(charges: readonly Charge[]): readonly Gap[] {
  const gaps: Gap[] = [];
  /** Credits of uncertain messages that explain no gap yet. */
  let doubt = 0;
  let last: Group | undefined;
  let group: Group | undefined;
  const close = () => {
    const left = last === undefined || group === undefined ? 0 : rounded(last.after.credits - group.before.credits);
    if (last !== undefined && group !== undefined && left > 0) {
      const uncertain = Math.min(left, doubt);
      doubt -= uncertain;
      gaps.push({ after: last.after.at, before: group.before.at, credits: rounded(left - uncertain), uncertain });
    }
    [last, group] = [group ?? last, undefined];
  };
  for (const { begun, at, credits, balance } of charges.toSorted((a, b) => a.begun - b.begun)) {
    if (group !== undefined && begun > group.end) close();
    if (balance === undefined) {
      doubt += credits;
      continue;
    }
    const before = { credits: balance + credits, at };
    const after = { credits: balance, at: begun };
    group ??= { before, after, end: at };
    if (before.credits > group.before.credits) group.before = before;
    if (after.credits < group.after.credits) group.after = after;
    group.end = Math.max(group.end, at);
  }
  close();
  return gaps;
}

/** Charges whose requests overlapped, so that their order is not known. */
interface Group {
  /** The balances before and after all of them: the highest and the lowest, unless credits came in. */
  before: Balance;
  after: Balance;
  /** When the last of their answers came. */
  end: number;
}

interface Balance {
  readonly credits: number;
  readonly at: number;
}
