import { describe, expect, it } from "vitest";
import type { Outcome, RetryAdvice } from "../../src/message/outcome.ts";
import { longestWait, withEarlierDoubt, waitBeforeRetry } from "../../src/sending/retry.ts";

const failure = { kind: "rate-limited", error: "", errorCode: "RATE_LIMITED" } as const;
const accepted: Outcome = { kind: "accepted", receipt: { success: true, messageId: "m", to: "+254712345678" } };
const rejected: Outcome = { kind: "rejected", failure };
const uncertain: Outcome = { kind: "uncertain", failure };

function unsent(retry: RetryAdvice): Outcome {
  return { kind: "unsent", failure, retry };
}

const backOff = { kind: "back-off" } as const;
const [minute, run] = [longestWait(60_000), longestWait(Infinity)];

describe("the wait before a retry", () => {
  it.each([
    [1, 0, 250],
    [1, 0.999_999, 500],
    [3, 0, 1000],
    [5, 0, 4000],
    [50, 0, 4000],
  ])("after try %d at random %d is a back-off of %d ms", (number, random, ms) => {
    for (const longest of [minute, run])
      expect(waitBeforeRetry(unsent(backOff), { number, retries: 100, longest, random })).toBeCloseTo(ms, 2);
  });

  it.each<readonly [string, RetryAdvice, number, number | undefined]>([
    ["none if a retry cannot help", { kind: "never" }, minute, undefined],
    ["what the service asked for", { kind: "after", ms: 1000 }, minute, 1000],
    ["the back-off, if the service asked for less", { kind: "after", ms: 0 }, minute, 250],
    ["none if too little time is left for a try", { kind: "after", ms: 1000 }, longestWait(1499), undefined],
    ["kept if just enough time is left", { kind: "after", ms: 1000 }, longestWait(1500), 1000],
    ["none if it is longer than the time left", { kind: "after", ms: 60_001 }, minute, undefined],
    ["none if no time is left", backOff, longestWait(0), undefined],
    ["kept for five minutes in a run", { kind: "after", ms: 300_000 }, run, 300_000],
    ["none, and never cut short, for longer in a run", { kind: "after", ms: 300_001 }, run, undefined],
  ])("is %s", (_, advice, longest, ms) => {
    expect(waitBeforeRetry(unsent(advice), { number: 1, retries: 3, longest, random: 0 })).toBe(ms);
  });

  it("is none after the last retry", () => {
    expect(waitBeforeRetry(unsent(backOff), { number: 3, retries: 3, longest: minute, random: 0 })).toBe(1000);
    expect(waitBeforeRetry(unsent(backOff), { number: 4, retries: 3, longest: minute, random: 0 })).toBeUndefined();
    expect(waitBeforeRetry(unsent(backOff), { number: 1, retries: 0, longest: minute, random: 0 })).toBeUndefined();
  });

  it.each([accepted, rejected, uncertain])("is none after an attempt that is $kind", (outcome) => {
    expect(waitBeforeRetry(outcome, { number: 1, retries: 3, longest: minute, random: 0 })).toBeUndefined();
  });
});

describe("a message in doubt", () => {
  it.each([rejected, unsent(backOff), uncertain])("stays in doubt after an attempt that is $kind", (outcome) => {
    expect(withEarlierDoubt(outcome, true)).toEqual(uncertain);
    expect(withEarlierDoubt(outcome, false)).toBe(outcome);
  });

  it("is accepted once an attempt is", () => {
    expect(withEarlierDoubt(accepted, true)).toBe(accepted);
  });
});
