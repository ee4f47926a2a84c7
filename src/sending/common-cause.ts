import type { Barrier } from "../guards/guard.ts";
import type { Failure, Outcome } from "../message/outcome.ts";
import { isOfAccount } from "../record/ledger.ts";
import type { DraftMessage } from "../record/plan.ts";

/** After this many uncertain outcomes in a row the rest would probably end the same way. */
const mostDoubts = 5;

/** One fault of the network meets all requests in flight, so only those count that began after the first doubt. */
export function watchCommonCauses() {
  let doubts = 0;
  let exchangesAtFirst = 0;
  /** If the service has answered any request since the message was first tried, `isAnswered` is true. */
  return (outcome: Outcome, isAnswered: boolean, exchangesAtStart: number, exchanges: number): Failure | undefined => {
    if (outcome.kind !== "uncertain") doubts = 0;
    else if (doubts > 0) doubts += exchangesAtStart >= exchangesAtFirst ? 1 : 0;
    else [doubts, exchangesAtFirst] = [1, exchanges];
    if (outcome.kind === "accepted") return undefined;
    const { failure } = outcome;
    if (isOfAccount(failure)) return failure;
    switch (failure.kind) {
      case "not-the-service":
      case "rate-limited":
        return failure;
      case "unreachable":
        return isAnswered ? undefined : failure;
      default:
        return doubts >= mostDoubts ? failure : undefined;
    }
  };
}

/** If a 403 is for the sender of the row, then only this message is refused. */
export function outcomeOfRow(outcome: Outcome, { ownSender }: DraftMessage): Outcome {
  if (!ownSender || outcome.kind !== "rejected" || outcome.failure.kind !== "forbidden") return outcome;
  return { ...outcome, failure: { ...outcome.failure, kind: "refused" } };
}

export function failureOf(barrier: Barrier): Failure {
  const { errorCode, hint = "" } = barrier.kind === "held" ? barrier.hold : barrier.error;
  const sentence = barrier.kind === "held" ? barrier.hold.sentence : barrier.error.message;
  return { kind: "limit", error: hint === "" ? sentence : `${sentence}; ${hint}`, errorCode };
}

export const atLimit: Failure = {
  kind: "limit",
  error: "one more message could bring the charge over --max-credits",
  errorCode: "OVER_LIMIT",
};
