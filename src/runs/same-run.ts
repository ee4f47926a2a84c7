import { numberKey } from "../message/number-set.ts";
import { type Guard, holdOf } from "../guards/guard.ts";
import { changesOf, type RunBinding } from "../record/header.ts";
import type { Tally } from "../record/ledger.ts";
import type { PlanSummary } from "../record/plan.ts";
import type { RecordedRun, RunKeeper } from "../record/runs.ts";

export interface SameRun extends Pick<RecordedRun, "by"> {
  readonly name: string;
  readonly tally: Tally;
  /** An unfinished run has messages left; of a silent one, sms ended before it could write the summary. */
  readonly state: "unfinished" | "silent" | "ended";
  readonly began: number;
  /** When it was last recorded. Milliseconds since 1970. */
  readonly lastWritten: number;
}

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** How long the same list is not sent again unless `--again` says so. */
const repeatTime = 12 * hour;

/**
 * Returns a run of the same messages to the same destination that is unfinished, or else has ended within the last 12 hours.
 * A run with nothing left to send keeps its state for a day: a silent one, and one of which `guards` hold back the rest. `now`
 * in milliseconds since 1970.
 */
export async function findSameRun(
  runs: RunKeeper,
  plan: PlanSummary,
  binding: RunBinding,
  guards: readonly Guard[],
  now: number,
): Promise<SameRun | undefined> {
  const found: SameRun[] = [];
  for (const run of await runs.alike(plan)) {
    if (changesOf(run.header, binding).length > 0) continue;
    const ledger = await run.readCounts();
    const tally = ledger.tally();
    const lastWritten = await run.lastWritten();
    const age = now - lastWritten;
    const isUnfinished = tally.due > 0 && (age < day || (await hasRest(run, guards)));
    const isSilent = age < day && !ledger.hasSummary;
    const state = isUnfinished ? "unfinished" : isSilent ? "silent" : "ended";
    const { name, started } = run.header;
    if (state !== "ended" || age < repeatTime)
      found.push({ name, by: run.by, tally, state, began: Date.parse(started), lastWritten });
  }
  const isEnded = ({ state }: SameRun) => Number(state === "ended");
  found.sort((a, b) => isEnded(a) - isEnded(b) || b.lastWritten - a.lastWritten);
  return found[0];
}

async function hasRest(run: RecordedRun, guards: readonly Guard[]): Promise<boolean> {
  const ledger = await run.readLedger();
  for await (const { to } of run.readMessages((index) => ledger.isDue(index)))
    if (holdOf(guards, numberKey(to)) === undefined) return true;
  return false;
}
