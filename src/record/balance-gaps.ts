import { rounded } from "../message/outcome.ts";
import { NumberRows } from "./number-rows.ts";

/** A message that one account was charged for, or may have been. Times in milliseconds since 1970. */
export interface Charge {
  /** A time before its request, and the time of its outcome. */
  readonly begun: number;
  readonly at: number;
  readonly credits: number;
  /** Credits that it left in the account; undefined if no receipt says so. */
  readonly balance: number | undefined;
}

/** The charges of one account, in any order. */
export class Charges {
  /** Begun, at, credits, and the balance or NaN. */
  readonly #rows = new NumberRows(4);

  add({ begun, at, credits, balance = NaN }: Charge): void {
    this.#rows.push(begun, at, credits, balance);
  }

  /** Yields them in the order in which their requests began. */
  *inOrder(): Generator<Charge, void> {
    const rows = this.#rows;
    for (const row of rows.orderBy(0)) {
      const balance = rows.at(row, 3);
      yield {
        begun: rows.at(row, 0),
        at: rows.at(row, 1),
        credits: rows.at(row, 2),
        balance: Number.isNaN(balance) ? undefined : balance,
      };
    }
  }
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
export function findGaps(charges: Charges): readonly Gap[] {
  const explain = explanations(withoutBalance(charges));
  const gaps: Gap[] = [];
  let last: Group | undefined;
  for (const group of groupsOf(charges.inOrder())) {
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

function* groupsOf(inOrder: Iterable<Charge>): Generator<Group, void> {
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

function* withoutBalance(charges: Charges): Generator<Charge, undefined> {
  for (const charge of charges.inOrder()) if (charge.balance === undefined) yield charge;
  return undefined;
}

/** Returns what takes credits of a gap, one gap after another, from messages without a receipt, each credit once. */
function explanations(
  inOrder: Iterator<Charge, undefined>,
): (credits: number, after: number, before: number) => number {
  let charge = inOrder.next().value;
  let used = 0;
  return (credits, after, before) => {
    let taken = 0;
    for (; charge !== undefined && charge.begun <= before; charge = inOrder.next().value) {
      if (charge.at + lateCharge >= after) {
        const part = Math.min(credits - taken, charge.credits - used);
        taken += part;
        used += part;
        if (used < charge.credits) break;
      }
      used = 0;
    }
    return rounded(taken);
  };
}
