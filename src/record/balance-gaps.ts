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
  /** Those that nothing sent by this machine explains. */
  readonly credits: number;
  /** Those that messages of this machine without a receipt may have been charged. */
  readonly uncertain: number;
}

/**
 * Returns the credits that left one account between groups of charges: the balance after one group less the balance before
 * the next. It is never too much, because credits that came in only make it smaller. What left while requests overlapped is
 * not known.
 */
export function findGaps(charges: readonly Charge[]): readonly Gap[] {
  const inOrder = charges.toSorted((a, b) => a.begun - b.begun);
  const explain = explanations(inOrder.filter(({ balance }) => balance === undefined));
  const gaps: Gap[] = [];
  let last: Group | undefined;
  for (const group of groupsOf(inOrder)) {
    const left = last === undefined ? 0 : rounded(last.after.credits - group.before.credits);
    if (last !== undefined && left > 0) {
      const [after, before] = [last.after.at, group.before.at];
      const uncertain = explain(left, after, before);
      gaps.push({ after, before, credits: rounded(left - uncertain), uncertain });
    }
    last = group;
  }
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

function* groupsOf(inOrder: readonly Charge[]): Generator<Group, void> {
  let group: Group | undefined;
  for (const { begun, at, credits, balance } of inOrder) {
    if (balance === undefined) continue;
    const [before, after] = [
      { credits: balance + credits, at },
      { credits: balance, at: begun },
    ];
    if (group === undefined || begun > group.end) {
      if (group !== undefined) yield group;
      group = { before, after, end: at };
      continue;
    }
    if (before.credits > group.before.credits) group.before = before;
    if (after.credits < group.after.credits) group.after = after;
    group.end = Math.max(group.end, at);
  }
  if (group !== undefined) yield group;
}

/** How long after its outcome a message without a receipt may still be charged. Milliseconds. */
const lateCharge = 24 * 60 * 60 * 1000;

/** Returns what takes credits of a gap, one gap after another, from messages without a receipt, each credit once. */
function explanations(inOrder: readonly Charge[]): (credits: number, after: number, before: number) => number {
  let next = 0;
  let used = 0;
  return (credits, after, before) => {
    let taken = 0;
    for (let charge = inOrder[next]; charge !== undefined && charge.begun <= before; charge = inOrder[next]) {
      if (charge.at + lateCharge >= after) {
        const part = Math.min(credits - taken, charge.credits - used);
        taken += part;
        used += part;
        if (used < charge.credits) break;
      }
      next++;
      used = 0;
    }
    return rounded(taken);
  };
}
