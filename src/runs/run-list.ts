import { existsSync, statSync } from "node:fs";
import { numberKey } from "../message/number-set.ts";
import { SmsError } from "../errors.ts";
import { errorCode } from "../files/error-code.ts";
import type { StateFolder } from "../files/state-folder.ts";
import { type Guard, holdOf } from "../guards/guard.ts";
import { changesOf, readHeader, type RunDestination, type RunHeader } from "../record/header.ts";
import { readBegunJournal, readJournal } from "../record/folder/journal-reader.ts";
import { Ledger, type Tally } from "../record/ledger.ts";
import { checkPlan, damaged as damagedRun, type PlanSummary, readPlan } from "../record/plan.ts";
import { unreadableRun, type UnreadableRun } from "../record/runs.ts";
import { type RunFiles, runFiles, runNames } from "../record/folder/run-files.ts";
import { type BegunRun, requireRun } from "../record/folder/runs.ts";

/** A run in a list. */
export interface ListedRun {
  readonly header: RunHeader;
  readonly tally: Tally;
}

/** The latest runs under a state folder. */
interface RunList {
  /** The latest first. */
  readonly runs: readonly ListedRun[];
  /** How many earlier ones there are. */
  readonly earlier: number;
  /** Those that were found to be unreadable. */
  readonly damaged: readonly UnreadableRun[];
}

/** Returns the latest runs under a state folder, at most `limit`, and reads the journals of no others. */
export async function listRuns(state: StateFolder, limit: number): Promise<RunList> {
  const runs: ListedRun[] = [];
  const begun: { readonly files: RunFiles; readonly header: RunHeader }[] = [];
  const damaged: UnreadableRun[] = [];
  for (const name of runNames(state)) {
    try {
      const files = runFiles(state, name);
      const header = readHeader(files);
      if (header !== undefined) begun.push({ files, header });
    } catch (error) {
      damaged.push(unreadableRun(name, error));
    }
  }
  begun.sort((a, b) => b.header.started.localeCompare(a.header.started));
  for (const { files, header } of begun.slice(0, limit)) {
    try {
      const ledger = new Ledger(new Uint8Array(header.plan.messages));
      await readBegunJournal(files.journal, ledger);
      runs.push({ header, tally: ledger.tally() });
    } catch (error) {
      damaged.push(unreadableRun(files.name, error));
    }
  }
  return { runs, earlier: Math.max(0, begun.length - limit), damaged };
}

/** Returns the names of all runs with their headers, and reads no journal; the header of a damaged run is undefined. */
export function namedRuns(
  state: StateFolder,
): readonly { readonly name: string; readonly header: RunHeader | undefined }[] {
  return runNames(state).map((name) => {
    try {
      return { name, header: readHeader(runFiles(state, name)) };
    } catch {
      return { name, header: undefined };
    }
  });
}

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
    const header = await readableHeader(files, plan);
    if (header === undefined || !isSamePlan(header.plan, plan) || changesOf(header, destination).length > 0) continue;
    const ledger = new Ledger(new Uint8Array(header.plan.messages));
    if (!existsSync(files.journal)) throw damagedRun(`a file of ${files.folder} is missing`);
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

/** A damaged header counts as that of another run, unless the plan beside it is the same. Throws for one that is refused. */
async function readableHeader(files: RunFiles, plan: PlanSummary): Promise<RunHeader | undefined> {
  try {
    return readHeader(files);
  } catch (error) {
    const isDamaged = error instanceof SmsError && error.errorCode === "RUN_DAMAGED";
    if (!isDamaged || (await hasPlan(files, plan))) throw error;
    return undefined;
  }
}

async function hasPlan(files: RunFiles, plan: PlanSummary): Promise<boolean> {
  try {
    await checkPlan(files.plan, plan);
    return true;
  } catch (error) {
    if (error instanceof SmsError || errorCode(error) === "ENOENT") return false;
    throw error;
  }
}

/** Whether two plans are of the same messages, those that guards held back included. */
function isSamePlan({ digests: was }: PlanSummary, { digests: is }: PlanSummary): boolean {
  return was.messages === is.messages;
}
