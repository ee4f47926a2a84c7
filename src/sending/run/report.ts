import type { EndingKind } from "../../errors.ts";
import { warnOfSpending } from "../../guards/open.ts";
import { noteOutcome } from "../../profiles/record.ts";
import type { Send } from "../opening.ts";
import { leftOutTexts } from "../views/plan.ts";
import { leftText, nobodyText, nobodyView, type RunResult, runSummaryView } from "../views/run-summary.ts";
import type { Plan } from "./plan.ts";
import { planNotes } from "./present.ts";
import type { DecidedRepeats } from "./repeated.ts";

/** Throws the error that kept the run from going on. */
export async function reportRun(result: RunResult, plan: Plan, send: Send): Promise<EndingKind> {
  const { options, context, destination, payingProfile } = send;
  const { host, presenter } = context;
  const { ending, cause, error, lastAccepted, tally } = result;
  if (error instanceof Error && ending === "accepted")
    presenter.warn(`run ${result.run} is not recorded to its end: ${error.message}`);
  if (options.quiet && !options.json) {
    if (cause !== undefined) presenter.trace(`Stopping: ${cause.error}`);
    const rest = leftText(result);
    if (rest !== undefined) presenter.trace(rest);
  }
  presenter.show(runSummaryView(result));
  if (lastAccepted !== undefined && destination.mode !== "sandbox") {
    await warnOfSpending(plan.allGuards, tally.newBalance, presenter);
    // The last answer need not be the last charge.
    const { newBalance = lastAccepted.receipt.newBalance } = tally;
    const last = { kind: "accepted", receipt: { ...lastAccepted.receipt, newBalance } } as const;
    await noteOutcome(destination, last, host, payingProfile);
  }
  if (error !== undefined && ending !== "accepted") throw error;
  return ending;
}

export function reportNobody(plan: Plan, repeats: DecidedRepeats, { options, context }: Send): EndingKind {
  const { presenter } = context;
  const notes = planNotes(plan, repeats);
  const leftOut = options.json ? [] : leftOutTexts({ ...notes, clean: undefined });
  for (const text of [...notes.warnings, ...leftOut]) presenter.warn(text);
  if (options.quiet && !options.json) presenter.trace(nobodyText);
  presenter.show(nobodyView(notes));
  return "accepted";
}
