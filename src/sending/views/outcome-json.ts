import type { Outcome } from "../../message/outcome.ts";

export function outcomeJson(outcome: Outcome | undefined, redacted: (text: string) => string) {
  if (outcome === undefined) return { outcome: "pending" };
  const { kind } = outcome;
  if (kind === "accepted") {
    const { messageId, segments, totalCredits, totalCostKes, newBalance } = outcome.receipt;
    return { outcome: kind, messageId: redacted(messageId), segments, totalCredits, totalCostKes, newBalance };
  }
  const { httpStatus, error, errorCode } = outcome.failure;
  return { outcome: kind, httpStatus, error: redacted(error), errorCode: redacted(errorCode) };
}
