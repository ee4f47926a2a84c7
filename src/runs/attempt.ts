import type { Outcome } from "../core/outcome.ts";
import type { PlannedMessage } from "./plan.ts";
import { retryWait } from "../delivery/retry.ts";

/** A message of a run on its way. */
export interface Attempt {
  readonly message: PlannedMessage;
  /** From 1. */
  readonly number: number;
  /** How many answers the run had seen when the message was first tried. */
  readonly answersBefore: number;
  /** What the attempt before is recorded as. */
  readonly last: Outcome | undefined;
}

/** No wait between two attempts is longer, whatever the service asks for. Milliseconds. */
const longestPause = 60_000;

/** What is shown of a message whose result could not be recorded. */
export const notRecorded: Outcome = {
  kind: "uncertain",
  failure: {
    kind: "fault",
    error: "what became of it could not be recorded",
    errorCode: "RUN_NOT_RECORDED",
  },
};

/**
 * What a message comes to by the outcome of its last attempt. One that was in doubt before stays so until it is
 * accepted, since the earlier attempt may have gone out.
 */
export function comesTo(outcome: Outcome, wasInDoubt: boolean): Outcome {
  if (!wasInDoubt || outcome.kind === "accepted") return outcome;
  return { kind: "uncertain", failure: outcome.failure };
}

/** Milliseconds until the attempt after this one; undefined where there must be none. `random` as `retryWait` takes it. */
export function waitBeforeNext(
  { number }: Attempt,
  outcome: Outcome,
  retries: number,
  random: number,
): number | undefined {
  if (outcome.kind !== "unsent" || number > retries) return undefined;
  const wait = retryWait(outcome.retry, number + 1, Infinity, random);
  return wait === undefined ? undefined : Math.min(wait, longestPause);
}
