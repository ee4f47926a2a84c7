import { describe, expect, it } from "vitest";
import { retryWait } from "../../src/delivery/retry.ts";

const backOff = { kind: "back-off" } as const;

describe("retryWait", () => {
  it.each([
    [2, 0, 250],
    [2, 0.999_999, 500],
    [3, 0, 500],
    [4, 0, 1000],
    [5, 0, 2000],
    [6, 0, 4000],
    [7, 0, 4000],
    [50, 0, 4000],
  ])("backs off before try %d at random %d by %d ms", (next, random, ms) => {
    expect(retryWait(backOff, next, 60_000, random)).toBeCloseTo(ms, 2);
  });

  it.each([
    ["never", { kind: "never" }, 60_000, undefined],
    ["what the service asked for", { kind: "after", ms: 1000 }, 60_000, 1000],
    ["by its own back-off, where it asked for less", { kind: "after", ms: 0 }, 60_000, 250],
    ["not at all, where too little is left for a try", { kind: "after", ms: 1000 }, 1499, undefined],
    ["still, where just enough is left", { kind: "after", ms: 1000 }, 1500, 1000],
    ["not at all, where it asked for more than is left", { kind: "after", ms: 60_000 }, 30_000, undefined],
    ["not at all, where nothing is left", backOff, 0, undefined],
  ] as const)("waits %s", (_, advice, timeLeft, ms) => {
    expect(retryWait(advice, 2, timeLeft, 0)).toBe(ms);
  });
});
