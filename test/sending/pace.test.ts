import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openPace, type Pace } from "../../src/sending/pace.ts";
import { seed } from "../support/seed.ts";

/** Returns when each of `count` requests begins, by a clock that begins at 1,000,000, if it is late by `lateness`. */
function beginnings(pace: Pace, count: number, lateness: (index: number) => number): readonly number[] {
  let now = 1_000_000;
  return Array.from({ length: count }, (_, index) => {
    const wait = pace.wait(now, 0);
    if (wait > 0) now += wait + lateness(index);
    expect(pace.wait(now, 0)).toBe(0);
    pace.begin(now);
    return now;
  });
}

function mostInAMinute(times: readonly number[]): number {
  return Math.max(...times.map((time, index) => times.slice(index).filter((other) => other < time + 60_000).length));
}

describe("a pace", () => {
  it("never has more than its rate in any minute, however late requests are", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 300 }),
        fc.array(fc.oneof(fc.integer({ min: 0, max: 30 }), fc.integer({ min: 0, max: 90_000 })), { minLength: 1 }),
        (perMinute, late) => {
          const times = beginnings(openPace(perMinute), 2 * perMinute + 5, (index) => late[index % late.length] ?? 0);
          expect(mostInAMinute(times)).toBeLessThanOrEqual(perMinute);
        },
      ),
      { seed, numRuns: 60 },
    );
  });

  it("goes on in the spacing of the invocation before", () => {
    expect(openPace(100, 1_000_000).wait(1_000_100, 0)).toBeCloseTo(505, 3);
    expect(openPace(100, 1_000_000).wait(1_700_000, 0)).toBe(0);
  });

  it("begins nothing in a pause, and spaces evenly after it", () => {
    const pace = openPace(2_000);
    expect(pace.wait(0, 0)).toBe(0);
    pace.begin(0);
    pace.pause(0, 5_000);
    expect(pace.wait(10, 0)).toBe(4_990);
    expect(pace.wait(5_000, 0)).toBe(0);
    expect(pace.wait(5_000, 2)).toBeCloseTo(60.5, 3);
    pace.begin(5_000);
    expect(pace.wait(5_000, 0)).toBeCloseTo(30.25, 3);
  });

  it.each([
    ["its spacing", (pace: Pace) => pace.begin(1_000_000), 605],
    ["its pause", (pace: Pace) => pace.pause(1_000_000, 5_000), 5_000],
  ])("waits no longer than %s where the clock is set back", (_, act, longest) => {
    const pace = openPace(100);
    act(pace);
    expect(pace.wait(1_000, 0)).toBeCloseTo(longest, 3);
  });
});
