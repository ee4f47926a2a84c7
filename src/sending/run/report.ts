import type { EndingKind } from "../../errors.ts";
import { warnOfSpending } from "../../guards/open.ts";
import { noteOutcome } from "../../profiles/record.ts";
import type { LeftOutRow } from "../../record/left-out.ts";
import { isInProcess } from "../destination.ts";
import type { Send } from "../opening.ts";
import { leftOutJson } from "../views/outcome-json.ts";
import { leftOutTexts } from "../views/plan-view.ts";
import { leftText, nobodyText, nobodyView, type RunResult, runSummaryView } from "../views/run-summary.ts";
import { repeatedBy } from "./left-out-entries.ts";
import type { Plan } from "./plan.ts";
import { planNotes } from "./present.ts";
import type { DecidedRepeats } from "./repeated.ts";

/** Throws the error that kept the run from going on. */
export async function reportRun(result: RunResult, send: Send): Promise<EndingKind> {
  const { options, context, destination, payingProfile } = send;
  const { host, presenter } = context;
  const { ending, cause, error, lastAccepted, tally } = result;
  // The messages are sent, so a fault of the disk is only a warning.
  const onFault = (fault: unknown) => presenter.warn(`what was left out cannot be shown: ${String(fault)}`);
  if (error === undefined) await showLeftOut(result.readLeftOut(), send).catch(onFault);
  if (error instanceof Error && ending === "accepted")
    presenter.warn(`run ${result.run} is not recorded to its end: ${error.message}`);
  if (options.quiet && !options.json) {
    if (cause !== undefined) presenter.always(`Stopping: ${cause.error}`);
    const rest = leftText(result);
    if (rest !== undefined) presenter.always(rest);
  }
  presenter.show(runSummaryView(result));
  if (lastAccepted !== undefined && !isInProcess(destination)) {
    await warnOfSpending(send.guards, tally.newBalance, presenter);
    // The last answer need not be the last charge.
    const { newBalance = lastAccepted.receipt.newBalance } = tally;
    const last = { kind: "accepted", receipt: { ...lastAccepted.receipt, newBalance } } as const;
    await noteOutcome(destination, last, host, payingProfile);
  }
  if (error !== undefined && ending !== "accepted") throw error;
  return ending;
}

export async function reportNobody(plan: Plan, repeats: DecidedRepeats, send: Send): Promise<EndingKind> {
  const { options, context } = send;
  const { presenter } = context;
  await showLeftOut(plan.ownRun.readLeftOut(), send);
  await showLeftOut(repeatedRows(plan, repeats), send);
  const notes = planNotes(plan, repeats);
  const texts = options.json ? [] : leftOutTexts({ ...notes, clean: undefined });
  for (const text of [...notes.warnings, ...texts]) presenter.warn(text);
  if (options.quiet && !options.json) presenter.always(nobodyText);
  presenter.show(nobodyView(notes));
  return "accepted";
}

async function* repeatedRows({ ownRun }: Plan, { indexes }: DecidedRepeats): AsyncGenerator<LeftOutRow, void> {
  for await (const { index, line, to } of ownRun.readPlan((each) => indexes.has(each)))
    yield { kind: "left-out", line, to, ...repeatedBy(indexes.get(index)) };
}

/** In JSON these lines come last, before the summary. */
async function showLeftOut(rows: AsyncIterable<LeftOutRow>, { options, context }: Send): Promise<void> {
  if (!options.json) return;
  for await (const row of rows) context.presenter.show({ json: (page) => leftOutJson(row, page), text: () => "" });
}
