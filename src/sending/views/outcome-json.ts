import type { Outcome } from "../../message/outcome.ts";
import type { LeftOutRow } from "../../record/left-out.ts";
import type { PlannedMessage } from "../../record/plan.ts";
import type { Actor } from "../../record/runs.ts";
import type { Page } from "../../terminal/context.ts";

export function outcomeJson(outcome: Outcome | undefined, redact: Page["redact"]) {
  if (outcome === undefined) return { outcome: "pending" };
  const { kind } = outcome;
  if (kind === "accepted") {
    const { messageId, segments, totalCredits, totalCostKes, newBalance } = outcome.receipt;
    return { outcome: kind, messageId: redact(messageId), segments, totalCredits, totalCostKes, newBalance };
  }
  const { httpStatus, error, errorCode } = outcome.failure;
  return { outcome: kind, httpStatus, error: redact(error), errorCode: redact(errorCode) };
}

/** A row of a whole run, or of its export. */
export function leftOutJson({ line, where, to, reason, details }: LeftOutRow, { redact }: Pick<Page, "redact">) {
  const place = where === undefined ? {} : { where };
  return {
    type: "recipient",
    line,
    ...place,
    to: redact(to),
    outcome: "left-out",
    reason,
    details: details && redact(details),
  };
}

export function recipientJson(
  { line, to }: PlannedMessage,
  outcome: Outcome | undefined,
  { redact }: Pick<Page, "redact">,
  by?: Actor,
) {
  return { type: "recipient", line, to, ...outcomeJson(outcome, redact), ...by };
}
