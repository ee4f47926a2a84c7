import { lineText } from "../core/line.ts";
import type { Outcome } from "../core/outcome.ts";
import type { PlannedMessage } from "../runs/plan.ts";
import { fitted } from "./cells.ts";
import type { Page, View } from "./presenter.ts";
import { failureHeading } from "./text.ts";

/** One recipient of a run as it ends: a line of JSON, or the message id alone with `--quiet`. */
export function recipientView(message: PlannedMessage, outcome: Outcome): View {
  return {
    json: (page) => recipientJson(message, outcome, page),
    quiet: ({ foreign }) => (outcome.kind === "accepted" ? [foreign(outcome.receipt.messageId)] : []),
    text: () => "",
  };
}

/** Returns the JSON of a recipient, by the names of docs/scripting.md. */
export function recipientJson(
  { line, to }: PlannedMessage,
  outcome: Outcome | undefined,
  { redacted }: Pick<Page, "redacted">,
) {
  const head = { type: "recipient", line, to, outcome: outcome?.kind ?? "pending" };
  if (outcome === undefined) return head;
  if (outcome.kind === "accepted") {
    const { messageId, segments, totalCredits, totalCostKes, newBalance } = outcome.receipt;
    return { ...head, messageId, segments, totalCredits, totalCostKes, newBalance };
  }
  const { httpStatus, error, errorCode } = outcome.failure;
  return { ...head, httpStatus, error: redacted(error), errorCode: redacted(errorCode) };
}

/** Returns the line for a recipient who was not accepted. */
export function failureLine({ line, to }: PlannedMessage, outcome: Outcome | undefined, page: Page): string {
  const who = `${lineText(line)}  ${to}  `;
  if (outcome === undefined) return `  ${who}not tried yet\n`;
  const why = outcome.kind === "accepted" ? "" : `: ${page.foreign(outcome.failure.error)}`;
  return `${fitted(page, `${who}${failureHeading[outcome.kind].toLowerCase()}${why}`, 2, 4)}\n`;
}
