import { describe, expect, it } from "vitest";
import { watchFlushes } from "../../src/runs/foresight.ts";

/** Answers at these times, a flush of `flushMs` ending every 5 ms for two seconds, and the most that was ever ahead. */
function mostAhead(lanes: number, answersAt: (ms: number) => number, flushMs: number): number {
  let now = 0;
  let most = 0;
  const foresight = watchFlushes(lanes, () => now);
  for (; now < 2_000; now++) {
    for (let left = answersAt(now); left > 0; left--) foresight.answered();
    if (now % 5 === 0) foresight.flushed(flushMs);
    most = Math.max(most, foresight.ahead());
  }
  return most;
}

describe("how many intents are reserved ahead", () => {
  it.each([
    ["no tier's pace, evenly", 8, (ms: number) => (ms % 30 === 0 ? 1 : 0), 2],
    ["80 answers a second in bursts of 32", 32, (ms: number) => (ms % 400 === 0 ? 32 : 0), 10],
    ["200 answers a second", 8, (ms: number) => (ms % 40 === 0 ? 8 : 0), 10],
  ])("is none at %s", (_, lanes, answersAt, flushMs) => {
    expect(mostAhead(lanes, answersAt, flushMs)).toBe(0);
  });

  it("is some at thousands of answers a second, and never more than sixteen for each lane", () => {
    const ahead = mostAhead(8, () => 8, 0.5);
    expect(ahead).toBeGreaterThan(0);
    expect(ahead).toBeLessThan(128);
    expect(mostAhead(8, () => 8, 500)).toBe(128);
  });
});
