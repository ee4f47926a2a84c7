import { numberKey } from "../../message/number-set.ts";
import { requireRecord } from "../../profiles/record.ts";
import { Faults } from "../../recipients/faults.ts";
import { holdOf } from "../../recipients/hold.ts";
import { type RunWithLedger, requireRun } from "../../record/run-with-ledger.ts";
import type { PlannedMessage } from "../../record/plan.ts";
import type { RunKeeper } from "../../record/runs.ts";
import type { AnySend, LocalSend } from "../opening.ts";
import { refuseClosed } from "./close.ts";

/** The rest of a run has its numbers and texts in the record. */
export interface Rest {
  readonly kind: "rest";
  readonly name: string;
  readonly runs: RunKeeper;
}

/** Throws `UNKNOWN_RUN` or `RUN_CLOSED`, or a usage error that names each message whose number a guard refuses. */
export async function checkRest(name: string, { options, profile, rowGuards, context }: LocalSend): Promise<Rest> {
  const runs = await (await requireRecord(context.host, "runs", profile)).runs();
  const run = await requireRun(runs, name);
  refuseClosed(run);
  const faults = new Faults();
  const isWanted = rowGuards.lists.length === 0 ? () => false : isOfRest(run.ledger, options.retry);
  for await (const { line, to } of run.readMessages(isWanted)) {
    const hold = holdOf(rowGuards.lists, numberKey(to));
    if (hold?.effect === "refuse") faults.add({ kind: "fault", line, ...hold, cause: "guard" });
  }
  if (faults.count > 0) throw await faults.toUsageError(`run ${name}`);
  return { kind: "rest", name, runs };
}

export async function* readRest(
  { ledger, readMessages }: RunWithLedger,
  { options }: Pick<AnySend, "options">,
  isLeftOut: (index: number) => boolean = () => false,
): AsyncGenerator<PlannedMessage, void> {
  const isWanted = isOfRest(ledger, options.retry);
  yield* readMessages((index) => isWanted(index) && !isLeftOut(index));
}

export function isOfRest(ledger: RunWithLedger["ledger"], retry: readonly string[] = []): (index: number) => boolean {
  return (index) => ledger.isDue(index) || (retry.includes(ledger.outcomeOf(index)) && !ledger.isLeftOut(index));
}
