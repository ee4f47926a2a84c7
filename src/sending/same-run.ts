import { holdOf } from "../recipients/hold.ts";
import { numberKey } from "../message/number-set.ts";
import { type Guard } from "../guards/guard.ts";
import { changesOf, type RunBinding } from "../record/header.ts";
import type { Tally } from "../record/ledger.ts";
import type { PlanSummary } from "../record/plan.ts";
import type { RecordedRun, RunKeeper } from "../record/runs.ts";

export interface SameRun extends Pick<RecordedRun, "by"> {
  readonly name: string;
  readonly tally: Tally;
  /** An unfinished run has messages left; of a silent one, sms ended before it could write the summary. */
  readonly state: "unfinished" | "silent" | "ended" | "closed";
  readonly began: number;
  /** When it was last recorded. Milliseconds since 1970. */
  readonly lastWritten: number;
}

const hour = 60 * 60 * 1000;
const day = 24 * hour;

/** How long the same list is not sent again unless `--again` says so. */
const repeatTime = 12 * hour;

interface Search {
  readonly plan: PlanSummary;
  readonly binding: RunBinding;
  readonly guards: readonly Guard[];
  /** Whether the command names its run: then only those count that reached somebody within the last 12 hours. */
  readonly isNamed: boolean;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * Finds the runs of the same messages to the same destination that are unfinished, or else have reached somebody within the last
 * 12 hours; the unfinished ones first, then the latest. A run with nothing left to send keeps its state for a day: a silent one,
 * and one of which `guards` hold back the rest. A fast clock can write a future time, which counts as within these hours.
 */
export async function findSameRuns(
  runs: RunKeeper,
  { plan, binding, guards, isNamed, now }: Search,
): Promise<readonly SameRun[]> {
  const found: SameRun[] = [];
  for (const run of await runs.alike(plan)) {
    if (changesOf(run.header, binding).length > 0) continue;
    const ledger = await run.readCounts();
    const tally = ledger.tally();
    const lastWritten = await run.lastWritten();
    const age = now - lastWritten;
    const isUnfinished = tally.due > 0 && (age < day || (await hasRest(run, guards)));
    const isSilent = age < day && !ledger.hasSummary && !tally.isClosed;
    const state = tally.isClosed ? "closed" : isUnfinished ? "unfinished" : isSilent ? "silent" : "ended";
    const isRecent = age < repeatTime && tally.accepted + tally.uncertain > 0;
    const { name, started } = run.header;
    if (isRecent || (!isNamed && (isUnfinished || isSilent)))
      found.push({ name, by: run.by, tally, state, began: Date.parse(started), lastWritten });
  }
  return found.sort((a, b) => Number(isOver(a)) - Number(isOver(b)) || b.lastWritten - a.lastWritten);
}

/** Whether a run of the same messages has nothing left that it may send. */
export function isOver({ state }: SameRun): boolean {
  return state === "ended" || state === "closed";
}

async function hasRest(run: RecordedRun, guards: readonly Guard[]): Promise<boolean> {
  const ledger = await run.readLedger();
  for await (const { to } of run.readMessages((index) => ledger.isDue(index)))
    if (holdOf(guards, numberKey(to)) === undefined) return true;
  return false;
}
