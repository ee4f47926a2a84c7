import { describe, expect, it } from "vitest";
import { type Charge, findGaps } from "../../src/record/balance-gaps.ts";
import { drawing, seed } from "../support/seed.ts";

/** A charge of `credits` that left `balance`, by a request from `begun` to `at`. */
function charge(begun: number, at: number, balance: number, credits = 1): Charge {
  return { begun, at, credits, balance };
}

function doubt(begun: number, at: number, credits = 1): Charge {
  return { begun, at, credits, balance: undefined };
}

/** The gaps as `AFTER-BEFORE: CREDITS+UNCERTAIN`. */
function gaps(charges: readonly Charge[], doubts: readonly Charge[] = []): readonly string[] {
  return findGaps([...charges, ...doubts]).map(
    ({ after, before, credits, uncertain }) => `${after}-${before}: ${credits}+${uncertain}`,
  );
}

describe("the gaps between the balances of an account", () => {
  it("are none while this machine alone is charged, in whatever order its answers are read", () => {
    expect(gaps([charge(0, 10, 99), charge(20, 30, 98), charge(40, 50, 95, 3)])).toEqual([]);
    expect(gaps([charge(40, 50, 95, 3), charge(0, 10, 99), charge(20, 30, 98)])).toEqual([]);
  });

  it("are what left in between, after one request had begun and before the answer to the next", () => {
    expect(gaps([charge(0, 10, 99), charge(20, 30, 57), charge(40, 50, 50)])).toEqual(["0-30: 41+0", "20-50: 6+0"]);
  });

  it("are none between requests that overlapped and were charged in another order than they were answered", () => {
    expect(gaps([charge(0, 10, 97), charge(0, 20, 99), charge(5, 30, 98), charge(40, 50, 96)])).toEqual([]);
  });

  it("are not known while requests overlapped, and are known before and after them", () => {
    expect(gaps([charge(0, 100, 99), charge(5, 50, 93), charge(60, 110, 92)])).toEqual([]);
    const both = [charge(20, 40, 93), charge(30, 50, 94)];
    expect(gaps([charge(0, 10, 99), ...both, charge(60, 70, 90)])).toEqual(["0-50: 4+0", "20-70: 2+0"]);
  });

  it("are none where the balance rose: a top-up may hide what left", () => {
    expect(gaps([charge(0, 10, 5), charge(20, 30, 500), charge(40, 50, 499)])).toEqual([]);
  });

  it("are none where the balance rose between requests that overlapped", () => {
    const all = [charge(0, 10, 99), charge(20, 60, 98), charge(25, 50, 597), charge(30, 55, 97), charge(40, 70, 596)];
    expect(gaps(all)).toEqual([]);
  });

  it("are none where the first requests, or the last, overlapped a top-up", () => {
    const both = [charge(0, 30, 99), charge(10, 40, 598)];
    expect(gaps([...both, charge(50, 60, 597)])).toEqual([]);
    expect(gaps([charge(-20, -10, 100), ...both])).toEqual([]);
  });

  it("are explained by uncertain messages first, each of them once", () => {
    expect(gaps([charge(0, 10, 99), charge(40, 50, 96)], [doubt(20, 30)])).toEqual(["0-50: 1+1"]);
    const twice = [charge(0, 10, 99), charge(40, 50, 97), charge(60, 70, 95)];
    expect(gaps(twice, [doubt(20, 30)])).toEqual(["0-50: 0+1", "40-70: 1+0"]);
  });

  it("are not explained by an uncertain message that came later", () => {
    expect(gaps([charge(0, 10, 99), charge(40, 50, 97)], [doubt(60, 70)])).toEqual(["0-50: 1+0"]);
  });

  it("of 60,000 charges are found in a moment, whatever overlaps and is uncertain", () => {
    const count = 20_000;
    const overlapping = Array.from({ length: count }, (_, index) => charge(index, 2 * count, count - index));
    const doubts = Array.from({ length: count }, (_, index) => doubt(index, index, 5));
    const later = Array.from({ length: count }, (_, index) =>
      charge(3 * count + 2 * index, 3 * count + 2 * index + 1, -3 * index),
    );
    const began = performance.now();
    const found = findGaps([...overlapping, ...later, ...doubts]);
    expect(found.reduce((sum, { uncertain }) => sum + uncertain, 0)).toBe(2 * (count - 1));
    // It took minutes when it looked at each pair.
    expect(performance.now() - began).toBeLessThan(5_000);
  });

  it.each([
    ["add up to", "none", 0],
    ["are not more than", "none", 8],
    ["are not more than", "some", 0],
    ["are not more than", "some", 8],
  ])("%s what others were charged (credits that came in: %s, requests that overlap: %i)", (_, toppedUp, overlap) => {
    const isToppedUp = toppedUp === "some";
    const draw = drawing(seed);
    for (let round = 0; round < 200; round++) {
      const topUp = isToppedUp ? draw(50) : undefined;
      let balance = 10_000;
      let foreign = 0;
      let unplaced = 0;
      const charges: Charge[] = [];
      for (let at = 0; at < 50; at++) {
        if (at === topUp) balance += 500;
        if (draw(4) > 0) {
          const credits = 1 + draw(3);
          balance -= credits;
          const [before, after] = overlap === 0 ? [0, 0] : [draw(overlap), draw(overlap)];
          charges.push({ begun: at - before, at: at + after, credits, balance });
          foreign += unplaced;
          unplaced = 0;
        } else if (charges.length > 0) {
          const credits = 1 + draw(5);
          balance -= credits;
          unplaced += credits;
        }
      }
      const found = findGaps(charges).reduce((sum, { credits }) => sum + credits, 0);
      expect(found).toBeLessThanOrEqual(foreign);
      expect(isToppedUp || overlap > 0 || found === foreign).toBe(true);
    }
  });
});
