import type { Failure, Outcome } from "../core/outcome.ts";

/** After this many uncertain outcomes in a row the rest would probably end the same way. */
const mostDoubts = 5;

/** Returns a function that takes final outcomes in order and returns the failure if the rest would fail alike. */
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
