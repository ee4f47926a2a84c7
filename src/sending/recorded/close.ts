import { type RunWithLedger, requireRun } from "../../record/run-with-ledger.ts";
import { recordOne, type RunKeeper } from "../../record/runs.ts";

/** Throws `UNKNOWN_RUN` and `RUN_BUSY`. */
export async function closeRun(runs: RunKeeper, name: string, now: number): Promise<RunWithLedger> {
  // This check comes first, so that nobody locks a run that does not exist.
  await requireRun(runs, name);
  const ownRun = await runs.open(name);
  try {
    const { ledger } = await requireRun(runs, name);
    if (!ledger.isClosed) await recordOne(ownRun, { kind: "closed" }, now);
    return await requireRun(runs, name);
  } finally {
    await ownRun.release();
  }
}
