import type { Failure, Outcome } from "../core/outcome.ts";

/** So many uncertain in a row, and something is wrong that all others would meet. */
const mostDoubts = 5;

/**
 * Tells of each final outcome of a run, in their order, whether all further messages would meet the same: that failure,
 * or undefined. `hasBeenAnswered` says whether the service answered anything since that message was first tried.
 */
export function watchCommonCauses(): (outcome: Outcome, hasBeenAnswered: boolean) => Failure | undefined {
  let doubts = 0;
  return (outcome, hasBeenAnswered) => {
    doubts = outcome.kind === "uncertain" ? doubts + 1 : 0;
    if (outcome.kind === "accepted") return undefined;
    const { failure } = outcome;
    switch (failure.kind) {
      case "unauthorized":
      case "no-credits":
      case "forbidden":
      case "not-the-service":
      case "rate-limited":
        return failure;
      case "unreachable":
        return hasBeenAnswered ? undefined : failure;
      default:
        return doubts >= mostDoubts ? failure : undefined;
    }
  };
}
