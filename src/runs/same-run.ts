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
  /** An unfinished run has messages left; of a silent one, sms ended before it could write the summary. */
  readonly state: "unfinished" | "silent" | "ended";
  /** Milliseconds since 1970. */
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
 * Reads the headers of all runs, and the journals of those that are the same. A run with nothing left to send keeps its state
 * for a day: a silent one, and one of which `guards` hold back the rest. `now` in milliseconds since 1970.
 */
export async function findSameRun(
  folder: StateFolder,
  plan: PlanSummary,
  destination: RunDestination,
  guards: readonly Guard[],
  now: number,
): Promise<SameRun | undefined> {
  const found: SameRun[] = [];
  for (const name of runNames(folder)) {
    const files = runFiles(folder, name);
    const header = readableHeader(files);
    if (header === undefined || !isSamePlan(header.plan, plan) || changesOf(header, destination).length > 0) continue;
    const ledger = new Ledger(new Uint8Array(header.plan.messages));
    if (!existsSync(files.journal)) throw damaged(`a file of ${files.folder} is missing`);
    await readJournal(files.journal, ledger);
    const tally = ledger.tally();
    const lastWritten = statSync(files.journal).mtimeMs;
    const age = now - lastWritten;
    const isUnfinished = tally.due > 0 && (age < day || (await hasRest(await requireRun(files), guards)));
    const isSilent = age < day && !ledger.hasSummary;
    const state = isUnfinished ? "unfinished" : isSilent ? "silent" : "ended";
    if (state !== "ended" || age < repeatTime)
      found.push({ files, tally, state, began: Date.parse(header.started), lastWritten });
  }
  const isEnded = ({ state }: SameRun) => Number(state === "ended");
  found.sort((a, b) => isEnded(a) - isEnded(b) || b.lastWritten - a.lastWritten);
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
