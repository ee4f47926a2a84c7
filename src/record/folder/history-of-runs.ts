import { statSync } from "node:fs";
import { makeFolder, replaceFile } from "../../files/durable.ts";
import { requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import { readRunEntries } from "../attempts.ts";
import type { RunHeader } from "../header.ts";
import type { Entry } from "../history.ts";
import { unreadableRun, type UnreadableRun } from "../runs.ts";
import { folderName, historyPath } from "./history.ts";
import type { OnRead } from "./line-file.ts";
import { recordedRun, type RunFiles, runFiles, runNames } from "./run.ts";

/** The runs of a history. */
interface FoundRuns {
  readonly runs: readonly (RunFiles & { readonly name: string })[];
  /** Those that cannot be read. */
  readonly unreadable: readonly UnreadableRun[];
}

/** Finds the runs that were last recorded at a time or later, in milliseconds since 1970. */
export function findRuns(state: StateFolder, since: number): FoundRuns {
  const runs: FoundRuns["runs"][number][] = [];
  const unreadable: UnreadableRun[] = [];
  for (const name of runNames(state)) {
    try {
      const files = runFiles(state, name);
      if (recordedRun(files) !== undefined && statSync(files.journal).mtimeMs >= since) runs.push({ ...files, name });
    } catch (error) {
      unreadable.push(unreadableRun(name, error));
    }
  }
  return { runs, unreadable };
}

/** Reads the tries of runs as entries, and returns all runs that cannot be read. */
export async function readRuns(
  { runs, unreadable }: FoundRuns,
  onRead: OnRead,
  onEntry: (entry: Entry) => void,
): Promise<readonly UnreadableRun[]> {
  const all = [...unreadable];
  for (const files of runs) {
    try {
      const run = recordedRun(files, onRead);
      if (run !== undefined) await readRunEntries(run, onEntry);
    } catch (error) {
      all.push(unreadableRun(files.name, error));
    }
  }
  return all;
}

/** Copies what the history needs of a run into a file of its own, whole or not at all. */
export async function keepRun(state: StateFolder, name: string): Promise<void> {
  const run = recordedRun(runFiles(state, name));
  if (run === undefined) return;
  const lines: string[] = [];
  await readRunEntries(run, (entry) => lines.push(`${JSON.stringify(entry)}\n`));
  if (lines.length === 0) return;
  makeFolder(historyPath(state, ""));
  requirePrivateState(state, folderName);
  replaceFile(historyPath(state, fileOf(run.header)), Buffer.from(lines.join("")), 0o600);
}

/** Whether a file of the history is of a run that is recorded after all: its removal did not come to its end. */
export function isStillRecorded(state: StateFolder, file: string): boolean {
  const [, name] = /^run-([^~]+)~/.exec(file) ?? [];
  if (name === undefined) return false;
  try {
    const run = recordedRun(runFiles(state, name));
    return run !== undefined && fileOf(run.header) === file;
  } catch {
    // It is damaged, so it cannot be read there.
    return false;
  }
}

function fileOf({ name, started }: Pick<RunHeader, "name" | "started">): string {
  return `run-${name}~${started.replaceAll(/[^0-9TZ]/g, "")}.ndjson`;
}
