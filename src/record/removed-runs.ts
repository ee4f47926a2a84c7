import { replaceFile, makeFolder } from "../files/durable.ts";
import { requirePrivateState, type StateFolder } from "../files/state-folder.ts";
import type { RunHeader } from "./header.ts";
import { recordedRun, runFiles } from "./folder/run.ts";
import { encodeEntry } from "./entry.ts";
import { historyPath } from "./history-folder.ts";
import { readRun } from "./run-entries.ts";

/**
 * Copies what the history needs of a run into a file of its own, whole or not at all, because the run is about to be removed.
 * Throws `RUN_DAMAGED`, and why the copy could not be written.
 */
export async function keepRun(state: StateFolder, name: string): Promise<void> {
  const run = recordedRun(runFiles(state, name));
  if (run === undefined) return;
  const lines: string[] = [];
  await readRun(run, (entry) => lines.push(`${encodeEntry(entry)}\n`));
  if (lines.length === 0) return;
  makeFolder(historyPath(state, ""));
  requirePrivateState(state, "history");
  replaceFile(historyPath(state, fileOf(run.header)), Buffer.from(lines.join("")), 0o600);
}

/** Whether a file of the history is of a run that is recorded after all: its removal did not come to its end. */
export function isStillRecorded(state: StateFolder, file: string): boolean {
  const [, name] = /^run-([^~]+)~/.exec(file) ?? [];
  if (name === undefined) return false;
  try {
    const header = recordedRun(runFiles(state, name))?.header;
    return header !== undefined && fileOf(header) === file;
  } catch {
    // It is damaged, so it cannot be read there.
    return false;
  }
}

function fileOf({ name, started }: Pick<RunHeader, "name" | "started">): string {
  return `run-${name}~${started.replaceAll(/[^0-9TZ]/g, "")}.ndjson`;
}
