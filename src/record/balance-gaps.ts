import { rounded } from "../message/outcome.ts";
import { Numbers } from "./numbers.ts";

/** A charge that a receipt shows. Times in milliseconds since 1970. */
export interface Charge {
  /** A time before its request, and the time of its answer. */
  readonly begun: number;
  readonly at: number;
  readonly credits: number;
  /** Credits that it left in the account. */
  readonly balance: number;
}

/** Charges whose requests overlapped, so that their order is not known. */
interface Group {
  /** The charge that left the lowest balance: the last one, unless credits came in. */
  lowest: Charge;
  /** The charge from the highest balance: the first one, unless credits came in. */
  highest: Charge;
  /** When the last of their answers came. */
  end: number;
}

/** The charges of one account, in any order. */
export class Charges {
  readonly #begun = new Numbers();
  readonly #at = new Numbers();
  readonly #credits = new Numbers();
  readonly #balance = new Numbers();

  add({ begun, at, credits, balance }: Charge): void {
    this.#begun.push(begun);
    this.#at.push(at);
    this.#credits.push(credits);
    this.#balance.push(balance);
  }

  /** Yields them in groups: each group begins after the last has ended. */
  *groups(): Generator<Group, void> {
    let group: Group | undefined;
    for (const place of this.#begun.order()) {
      const charge = this.#charge(place);
      if (group === undefined || charge.begun > group.end) {
        if (group !== undefined) yield group;
        group = { lowest: charge, highest: charge, end: charge.at };
        continue;
      }
      if (charge.balance < group.lowest.balance) group.lowest = charge;
      if (balanceBefore(charge) > balanceBefore(group.highest)) group.highest = charge;
      group.end = Math.max(group.end, charge.at);
    }
    if (group !== undefined) yield group;
  }

  #charge(place: number): Charge {
    const [begun, at] = [this.#begun.at(place), this.#at.at(place)];
    return { begun, at, credits: this.#credits.at(place), balance: this.#balance.at(place) };
  }
}

function balanceBefore({ balance, credits }: Charge): number {
  return rounded(balance + credits);
}

/** A message whose charge no balance shows. */
export interface Unseen {
  readonly begun: number;
  readonly at: number;
  /** Credits that it was charged, or that it would be. */
  readonly credits: number;
  /** Whether it was charged at all. */
  readonly isCertain: boolean;
}

/** Credits that left an account between two charges of this machine. */
export interface Gap {
  /** They left after the first of these and before the second. Milliseconds since 1970. */
  readonly after: number;
  readonly before: number;
  /** Those that nothing sent by this machine explains. */
  readonly credits: number;
  /** Those that uncertain messages of this machine may have been charged. */
  readonly uncertain: number;
}

/** How long after its answer an uncertain message may still be charged. Milliseconds. */
const lateCharge = 24 * 60 * 60 * 1000;

/**
 * Returns the credits that left one account between groups of charges of this machine: the balance after one group less the
 * balance before the next. It is never too much, because credits that came in only make it smaller. What left while requests
 * overlapped is not known.
 */
export function findGaps(charges: Charges, unseen: readonly Unseen[]): readonly Gap[] {
  const gaps: Gap[] = [];
  const explain = explanations(unseen);
  let last: Group | undefined;
  for (const group of charges.groups()) {
    const credits = last === undefined ? 0 : rounded(last.lowest.balance - balanceBefore(group.highest));
    if (last !== undefined && credits > 0) {
      const [after, before] = [last.lowest.begun, group.highest.at];
      const gap = { after, before, ...explain(credits, after, before) };
      if (gap.credits + gap.uncertain > 0) gaps.push(gap);
    }
    last = group;
  }
  return gaps;
}

/** Returns what divides the credits of gaps, in the order of time, into those that unseen charges explain and the rest. */
function explanations(unseen: readonly Unseen[]) {
  const inOrder = unseen.toSorted((a, b) => a.begun - b.begun);
  const takeCertain = takerOf(inOrder.filter(({ isCertain }) => isCertain));
  const takeUncertain = takerOf(inOrder.filter(({ isCertain }) => !isCertain));
  return (credits: number, after: number, before: number): Pick<Gap, "credits" | "uncertain"> => {
    const rest = credits - takeCertain(credits, after, before);
    const uncertain = takeUncertain(rest, after, before);
    return { credits: rounded(rest - uncertain), uncertain: rounded(uncertain) };
  };
}

/** Returns what takes credits of a gap from charges, each credit once, and returns how many it took. */
function takerOf(charges: readonly Unseen[]): (credits: number, after: number, before: number) => number {
  let next = 0;
  let left = charges[0]?.credits ?? 0;
  return (credits, after, before) => {
    let taken = 0;
    for (let charge = charges[next]; charge !== undefined && charge.begun <= before; charge = charges[next]) {
      if (charge.at + lateCharge >= after) {
        const part = Math.min(credits - taken, left);
        taken += part;
        left -= part;
        if (left > 0) break;
      }
      left = charges[++next]?.credits ?? 0;
    }
    return taken;
  };
}
