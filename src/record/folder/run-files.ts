import { constants, readSync } from "node:fs";
import { open, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorCode, namesIn, useFile, withPath } from "../../files/file-system.ts";
import { openOwnFile, readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { RunHeader } from "../header.ts";
import { decodeEntry, firstLine } from "../journal-entry.ts";
import { damaged, type WrittenPlan, type PlanRow, type RunPlaces, summarizePlan } from "../plan.ts";
import { readHeader, readLeftOut, readPlan, recordedRun } from "../run-lines.ts";
import { checkRunName, isRunName, type RecordedRun } from "../runs.ts";
import { type FileLine, type OnRead, readLinesBackwards, readWholeLines, sizeOf } from "./line-file.ts";

export interface RunFiles extends RunPlaces {
  readonly folder: string;
  readonly header: string;
  readonly lock: string;
}

export function runFiles(state: StateFolder, name: string): RunFiles {
  const folder = join(state.path, "runs", checkRunName(name));
  requirePrivateState(state, "runs", name);
  return {
    name,
    folder,
    header: join(folder, "run.json"),
    plan: join(folder, "plan.ndjson"),
    journal: join(folder, "journal.ndjson"),
    lock: join(folder, "lock"),
  };
}

export function runNames(state: StateFolder): readonly string[] {
  requirePrivateState(state, "runs");
  return namesIn(join(state.path, "runs")).filter(isRunName);
}

export function runIn(files: RunFiles, onRead?: OnRead): RecordedRun | undefined {
  const { name, header: path, plan, journal } = files;
  const text = readIfThere(path);
  if (text === undefined) {
    if (sizeOf(journal) > firstLine.length && !isOfBeginning(journal))
      throw damaged(files, `${path} is gone, and ${journal} is not empty`);
    return undefined;
  }
  const header = readHeader(text, path, name);
  return recordedRun({
    header,
    lastWritten: () => lastEntryAt(files, header),
    plan: () => linesIn(plan, files, onRead),
    journal: () => entriesIn(linesIn(journal, files, onRead), files),
    linesAt: async (offsets) => linesAt(journal, offsets),
    places: files,
  });
}

function isOfBeginning(journal: string): boolean {
  return /^\["begun"\]\n(?:\["left-out",[^\n]*\n)*[^\n]*$/.test(readIfThere(journal) ?? "");
}

/** A copy that was restored has files of other times, so the entries say when. */
async function lastEntryAt(places: RunPlaces, { started }: RunHeader): Promise<number> {
  let oldest: string | undefined;
  for await (const lines of orMissing(readLinesBackwards(places.journal), places.journal, places)) {
    for (const line of lines) {
      const entry = decodeEntry(line);
      if (entry?.kind === "time") return entry.at;
      // Only the newest line may be half-written.
      if (entry === undefined && oldest !== undefined && `${line}\n` !== firstLine) throw lostEntries(places);
      oldest = line;
    }
  }
  if (`${oldest}\n` !== firstLine) throw lostEntries(places);
  return Date.parse(started);
}

export function planIn(files: RunFiles, isWanted?: (index: number) => boolean) {
  return readPlan(linesIn(files.plan, files), files, isWanted);
}

export function leftOutIn(files: RunFiles) {
  return readLeftOut(linesIn(files.plan, files), files);
}

function linesIn(path: string, places: RunPlaces, onRead?: OnRead): AsyncGenerator<readonly FileLine[], void> {
  return orMissing(readWholeLines(path, onRead), path, places);
}

async function* orMissing<Page>(
  pages: AsyncIterable<Page>,
  path: string,
  places: RunPlaces,
): AsyncGenerator<Page, void> {
  try {
    yield* pages;
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? damaged(places, `${path} is missing`) : error;
  }
}

async function* entriesIn(journal: AsyncIterable<readonly FileLine[]>, places: RunPlaces) {
  let isEmpty = true;
  for await (const lines of journal) {
    isEmpty = false;
    yield lines;
  }
  if (isEmpty) throw lostEntries(places);
}

function lostEntries(places: RunPlaces): Error {
  return damaged(places, `${places.journal} has lost its entries`);
}

/** The lines are nearly in the plan's order. */
const windowSize = 256 * 1024;

function linesAt(path: string, offsets: readonly number[]): ReadonlyMap<number, string> {
  const lines = new Map<number, string>();
  const file = openOwnFile(path, constants.O_RDONLY);
  return useFile(file, path, () => {
    const window = Buffer.allocUnsafe(windowSize);
    let start = 0;
    let length = 0;
    for (const offset of offsets) {
      let end = offset < start ? -1 : window.subarray(0, length).indexOf(10, offset - start);
      if (end < 0) {
        start = offset;
        length = readSync(file, window, 0, windowSize, offset);
        end = window.subarray(0, length).indexOf(10);
      }
      lines.set(offset, window.toString("utf8", offset - start, end));
    }
    return lines;
  });
}

/** Throws what reading the messages throws. */
export async function writePlan(path: string, rows: AsyncIterable<PlanRow> | Iterable<PlanRow>): Promise<WrittenPlan> {
  await rm(path, { force: true });
  const file = await open(path, "wx", 0o600);
  const rethrow = (error: unknown) => {
    throw withPath(error, path);
  };
  try {
    const plan = await summarizePlan(rows, (lines) => file.writeFile(lines).catch(rethrow));
    await file.sync().catch(rethrow);
    return plan;
  } finally {
    // The file is flushed, or its failure is known.
    await file.close().catch(() => {});
  }
}
