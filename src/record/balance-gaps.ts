import { rounded } from "../core/amount.ts";
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

/** A charge in the list of its account. */
interface ListedCharge extends Pick<Charge, "begun" | "at" | "balance"> {
  readonly place: number;
  /** The balance before it. */
  readonly before: number;
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

  get length(): number {
    return this.#at.length;
  }

  /** Yields them by the times of their requests. */
  *byRequest(): Generator<ListedCharge, undefined> {
    for (const place of this.#begun.order()) yield this.#listed(place);
  }

  /** Yields them by the times of their answers, the last first, as if time ran back and each credit less were one more. */
  *backwards(): Generator<ListedCharge, undefined> {
    for (const place of this.#at.order().toReversed()) {
      const { begun, at, balance, before } = this.#listed(place);
      yield { place, begun: -at, at: -begun, balance: -before, before: -balance };
    }
  }

  #listed(place: number): ListedCharge {
    const balance = this.#balance.at(place);
    const before = rounded(balance + this.#credits.at(place));
    return { place, begun: this.#begun.at(place), at: this.#at.at(place), balance, before };
  }
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
 * Returns the credits that left one account between the charges of this machine. Charges whose requests overlapped are taken
 * in the order of their balances. If the balance rose, credits came in, and what left meanwhile cannot be known.
 */
export function findGaps(charges: Charges, unseen: readonly Unseen[]): readonly Gap[] {
  const gaps: Gap[] = [];
  const explain = explanations(unseen);
  let followers: Int32Array | undefined;
  const isSure = (before: ListedCharge, after: ListedCharge) =>
    (followers ??= followersBackwards(charges))[before.place] === after.place;
  let last: ListedCharge | undefined;
  for (const charge of inOrderOfCharge(charges.byRequest())) {
    const credits = last === undefined ? 0 : rounded(last.balance - charge.before);
    if (last !== undefined && credits > 0 && isSure(last, charge)) {
      const gap = { after: last.begun, before: charge.at, ...explain(credits, last.begun, charge.at) };
      if (gap.credits + gap.uncertain > 0) gaps.push(gap);
    }
    last = charge;
  }
  return gaps;
}

/**
 * Returns the charge that follows each, by their places, in the order that is found from the last to the first. If requests
 * overlapped while an account was topped up, and nothing is known before them, those after the top-up seem to come first, and
 * the top-up seems to have left. From the other end they do not.
 */
function followersBackwards(charges: Charges): Int32Array {
  const followers = new Int32Array(charges.length);
  let follower = -1;
  for (const { place } of inOrderOfCharge(charges.backwards())) {
    followers[place] = follower;
    follower = place;
  }
  return followers;
}

/**
 * Yields charges in the order in which the service made them: of those that can be next, the one from the highest balance that
 * is not above the last. From a higher one, they came after a top-up.
 */
function* inOrderOfCharge(waiting: Generator<ListedCharge, undefined>): Generator<ListedCharge, void> {
  const candidates: ListedCharge[] = [];
  let balance = Infinity;
  let next = waiting.next().value;
  while (next !== undefined || candidates.length > 0) {
    let firstEnd = candidates.reduce((least, { at }) => Math.min(least, at), Infinity);
    for (; next !== undefined && next.begun <= firstEnd; next = waiting.next().value) {
      candidates.push(next);
      firstEnd = Math.min(firstEnd, next.at);
    }
    const charge = highestOf(candidates, balance) ?? highestOf(candidates, Infinity);
    if (charge === undefined) return;
    balance = charge.balance;
    candidates.splice(candidates.indexOf(charge), 1);
    yield charge;
  }
}

/** Returns the charge from the highest balance of at most `most`. */
function highestOf(charges: readonly ListedCharge[], most: number): ListedCharge | undefined {
  let highest: ListedCharge | undefined;
  for (const charge of charges) {
    if (charge.before <= most && (highest === undefined || charge.before > highest.before)) highest = charge;
  }
  return highest;
}

/** Returns what divides the credits of a gap, in the order of time, into those that unseen charges explain and the rest. */
function explanations(unseen: readonly Unseen[]) {
  const later = unseen.toSorted((a, b) => a.begun - b.begun);
  let open: { readonly of: Unseen; left: number }[] = [];
  let read = 0;
  return (credits: number, after: number, before: number): Pick<Gap, "credits" | "uncertain"> => {
    for (let next = later[read]; next !== undefined && next.begun <= before; next = later[++read]) {
      open.push({ of: next, left: next.credits });
    }
    open = open.filter(({ of, left }) => left > 0 && of.at + lateCharge >= after);
    let rest = credits;
    let uncertain = 0;
    for (const isCertain of [true, false]) {
      for (const explanation of open) {
        if (explanation.of.isCertain !== isCertain) continue;
        const taken = Math.min(rest, explanation.left);
        explanation.left -= taken;
        rest -= taken;
        if (!isCertain) uncertain += taken;
      }
    }
    return { credits: rounded(rest), uncertain: rounded(uncertain) };
  };
}
