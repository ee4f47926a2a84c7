import { numberKey } from "../../message/number-set.ts";
import { requireRecord } from "../../profiles/record.ts";
import { Faults } from "../../recipients/faults.ts";
import { holdOf } from "../../recipients/hold.ts";
import { requireRun } from "../../record/run-with-ledger.ts";
import type { RunKeeper } from "../../record/runs.ts";
import type { LocalSend } from "../opening.ts";
import { refuseClosed } from "./closed.ts";
import { isToSend } from "./to-send.ts";

/** The record has its numbers and texts. */
export interface RunToResume {
  readonly kind: "resume";
  readonly name: string;
  readonly runs: RunKeeper;
}

/** Throws `UNKNOWN_RUN` or `RUN_CLOSED`, or a usage error that names each message whose number a guard refuses. */
export async function checkResume(name: string, local: LocalSend): Promise<RunToResume> {
  const { options, profile, rowGuards, context } = local;
  const runs = await (await requireRecord(context.host, "runs", profile)).runs();
  const run = await requireRun(runs, name);
  refuseClosed(run);
  const faults = new Faults();
  const isWanted = rowGuards.guardsOfLists.length === 0 ? () => false : isToSend(run.ledger, options.retry);
  for await (const { line, to } of run.readMessages(isWanted)) {
    const hold = holdOf(rowGuards.guardsOfLists, numberKey(to));
    if (hold?.effect === "fault") faults.add({ kind: "fault", line, ...hold, cause: "guard" });
  }
  if (faults.count > 0) throw await faults.toUsageError(`run ${name}`);
  return { kind: "resume", name, runs };
}
