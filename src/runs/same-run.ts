import { existsSync, statSync } from "node:fs";
import { numberKey } from "../core/number-key.ts";
import { SmsError } from "../errors.ts";
import type { StateFolder } from "../files/state-folder.ts";
import { type Guard, holdOf } from "../guards/guard.ts";
import { changesOf, readHeader, type RunDestination, type RunHeader } from "./header.ts";
import { readJournal } from "./journal-reader.ts";
import { Ledger, type Tally } from "./ledger.ts";
import { damaged, type PlanSummary, readPlan } from "./plan.ts";
import { type BegunRun, requireRun } from "./run.ts";
import { type RunFiles, runFiles, runNames } from "./run-files.ts";

/** A recorded run of the same messages to the same destination. */
export interface SameRun {
  readonly files: RunFiles;
  readonly tally: Tally;
  /** Whether it was ended before it was done. */
  readonly isUnfinished: boolean;
  /** Milliseconds since 1970. */
  readonly began: number;
  /** When it was last recorded. Milliseconds since 1970. */
  readonly lastWritten: number;
}

const day = 24 * 60 * 60 * 1000;

/**
 * Returns a run of the same messages to the same destination that is unfinished, or else was recorded within the last day.
 * Reads the headers of all runs, and the journals of those that are the same. A run that was killed with all its messages
 * in flight, or of which `guards` hold back all that is left, is unfinished for a day: there is nothing left of it to send.
 * `now` in milliseconds since 1970.
 */
export async function findSameRun(
  state: StateFolder,
  plan: PlanSummary,
  destination: RunDestination,
  guards: readonly Guard[],
  now: number,
): Promise<SameRun | undefined> {
  const found: SameRun[] = [];
  for (const name of runNames(state)) {
    const files = runFiles(state, name);
    const header = readableHeader(files);
    if (header === undefined || !isSamePlan(header.plan, plan) || changesOf(header, destination).length > 0) continue;
    const ledger = new Ledger(new Uint8Array(header.plan.messages));
    if (!existsSync(files.journal)) throw damaged(`a file of ${files.folder} is missing`);
    await readJournal(files.journal, ledger);
    const tally = ledger.tally();
    const lastWritten = statSync(files.journal).mtimeMs;
    const isRecent = now - lastWritten < day;
    const isUnfinished = isRecent
      ? ledger.hasOpen || tally.due > 0
      : tally.due > 0 && (await hasRest(await requireRun(files), guards));
    if (isUnfinished || isRecent)
      found.push({ files, tally, isUnfinished, began: Date.parse(header.started), lastWritten });
  }
  found.sort((a, b) => Number(b.isUnfinished) - Number(a.isUnfinished) || b.lastWritten - a.lastWritten);
  return found[0];
}

/** Whether a run would send anything if it were continued. */
async function hasRest({ files, ledger }: BegunRun, guards: readonly Guard[]): Promise<boolean> {
  for await (const { to } of readPlan(files.plan, (index) => ledger.isDue(index)))
    if (holdOf(guards, numberKey(to)) === undefined) return true;
  return false;
}

/** A header that cannot be read counts as that of another run. */
function readableHeader(files: RunFiles): RunHeader | undefined {
  try {
    return readHeader(files);
  } catch (error) {
    if (error instanceof SmsError) return undefined;
    throw error;
  }
}

/** Whether two plans are of the same messages, those that guards held back included. */
function isSamePlan({ digests: was }: PlanSummary, { digests: is }: PlanSummary): boolean {
  return was.file === is.file || (was.messages !== undefined && was.messages === is.messages);
}
