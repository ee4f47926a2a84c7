import { type RunWithLedger, requireRun } from "../../record/run-with-ledger.ts";
import { usageError } from "../../errors.ts";
import type { RunHeader } from "../../record/header.ts";
import type { Tally } from "../../record/ledger.ts";
import { recordOne, type RunKeeper } from "../../record/runs.ts";
import { typedOptions } from "./kept-options.ts";

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

/** Another run with these options sends to those that this run, and those it excluded, did not reach. */
export function otherName({ name, options: { exclude } }: RunHeader): string {
  return `--run ${name}-2${typedOptions({ exclude })} --exclude run:${name}`;
}

/** Another run may reach these; who is left out stays so. */
export function hasRest({ rejected, unsent, pending }: Tally): boolean {
  return rejected + unsent + pending > 0;
}

export function refuseClosed({ header, ledger }: RunWithLedger): void {
  if (!ledger.isClosed) return;
  const hint = hasRest(ledger.tally())
    ? `\`${otherName(header)}\` sends to those it did not reach`
    : `\`sms runs show ${header.name}\` has its results`;
  throw usageError("RUN_CLOSED", `run ${header.name} is closed: nothing more is sent under its name`, hint);
}
