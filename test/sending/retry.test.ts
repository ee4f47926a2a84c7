import { describe, expect, it } from "vitest";
import type { Outcome, RetryAdvice } from "../../src/message/outcome.ts";
import { outcomeAfter, waitBeforeRetry } from "../../src/sending/retry.ts";

const failure = { kind: "rate-limited", error: "", errorCode: "RATE_LIMITED" } as const;
const accepted: Outcome = {
  kind: "accepted",
  receipt: { success: true, messageId: "m", to: "+254712345678" },
};
const rejected: Outcome = { kind: "rejected", failure };
const uncertain: Outcome = { kind: "uncertain", failure };

function unsent(retry: RetryAdvice): Outcome {
  return { kind: "unsent", failure, retry };
}

const backOff = { kind: "back-off" } as const;
type RetryTime = Parameters<typeof waitBeforeRetry>[3];

const minute: RetryTime = { kind: "total", left: 60_000 };
const run: RetryTime = { kind: "per-request" };

describe("the wait before a retry", () => {
  it.each([
    [1, 0, 250],
    [1, 0.999_999, 500],
    [2, 0, 500],
    [3, 0, 1000],
    [4, 0, 2000],
    [5, 0, 4000],
    [6, 0, 4000],
    [50, 0, 4000],
  ])("after try %d at random %d is a back-off of %d ms", (attempt, random, ms) => {
    for (const time of [minute, run])
      expect(waitBeforeRetry(unsent(backOff), attempt, 100, time, random)).toBeCloseTo(ms, 2);
  });

  it.each<readonly [string, RetryAdvice, RetryTime, number | undefined]>([
    ["none if a retry cannot help", { kind: "never" }, minute, undefined],
    ["what the service asked for", { kind: "after", ms: 1000 }, minute, 1000],
    ["the back-off, if the service asked for less", { kind: "after", ms: 0 }, minute, 250],
    [
      "none if too little time is left for a try",
      { kind: "after", ms: 1000 },
      { kind: "total", left: 1499 },
      undefined,
    ],
    ["kept if just enough time is left", { kind: "after", ms: 1000 }, { kind: "total", left: 1500 }, 1000],
    ["none if it is longer than the time left", { kind: "after", ms: 60_001 }, minute, undefined],
    ["none if no time is left", backOff, { kind: "total", left: 0 }, undefined],
    ["kept for two minutes in a run", { kind: "after", ms: 120_000 }, run, 120_000],
    ["kept for five minutes in a run", { kind: "after", ms: 300_000 }, run, 300_000],
    ["none, and never cut short, for longer in a run", { kind: "after", ms: 300_001 }, run, undefined],
  ])("is %s", (_, advice, time, ms) => {
    expect(waitBeforeRetry(unsent(advice), 1, 3, time, 0)).toBe(ms);
  });

  it("is none after the last retry", () => {
    expect(waitBeforeRetry(unsent(backOff), 3, 3, minute, 0)).toBe(1000);
    expect(waitBeforeRetry(unsent(backOff), 4, 3, minute, 0)).toBeUndefined();
    expect(waitBeforeRetry(unsent(backOff), 1, 0, minute, 0)).toBeUndefined();
  });

  it.each([accepted, rejected, uncertain])("is none after an attempt that is $kind", (outcome) => {
    expect(waitBeforeRetry(outcome, 1, 3, minute, 0)).toBeUndefined();
  });
});

describe("a message in doubt", () => {
  it.each([rejected, unsent(backOff), uncertain])("stays in doubt after an attempt that is $kind", (outcome) => {
    expect(outcomeAfter(outcome, true)).toEqual(uncertain);
    expect(outcomeAfter(outcome, false)).toBe(outcome);
  });

  it("is accepted once an attempt is", () => {
    expect(outcomeAfter(accepted, true)).toBe(accepted);
  });
});
