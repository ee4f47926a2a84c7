import { statSync } from "node:fs";
import type { Sender } from "../message/sender.ts";
import type { OnRead } from "./folder/line-file.ts";
import type { StateFolder } from "../files/state-folder.ts";
import { readAttempts } from "./attempts.ts";
import type { RunHeader } from "./header.ts";
import { recordedRun, type RunFiles, runFiles, runNames } from "./folder/run.ts";
import { type RecordedRun, unreadableRun, type UnreadableRun } from "./runs.ts";
import { type Entry, entryOf } from "./entry.ts";

/** The runs of a history. */
export interface FoundRuns {
  readonly runs: readonly { readonly files: RunFiles; readonly header: RunHeader }[];
  /** Those that cannot be read. */
  readonly unreadable: readonly UnreadableRun[];
}

/** Finds the runs that were last recorded at a time or later, in milliseconds since 1970. */
export function findRuns(state: StateFolder, since: number): FoundRuns {
  const runs: { files: RunFiles; header: RunHeader }[] = [];
  const unreadable: UnreadableRun[] = [];
  for (const name of runNames(state)) {
    try {
      const files = runFiles(state, name);
      const run = recordedRun(files);
      if (run !== undefined && statSync(files.journal).mtimeMs >= since) runs.push({ files, header: run.header });
    } catch (error) {
      unreadable.push(unreadableRun(name, error));
    }
  }
  return { runs, unreadable };
}

/** Reads the tries of runs as entries, and returns all runs that cannot be read. */
export async function readRuns(
  { runs, unreadable, onRead }: FoundRuns & { readonly onRead: OnRead },
  onEntry: (entry: Entry) => void,
): Promise<readonly UnreadableRun[]> {
  const all = [...unreadable];
  for (const { files, header } of runs) {
    try {
      const run = recordedRun(files, onRead);
      if (run !== undefined) await readRun(run, onEntry);
    } catch (error) {
      all.push(unreadableRun(header.name, error));
    }
  }
  return all;
}

/** Reads the tries of one run as entries, none if it was in a sandbox. Throws `RUN_DAMAGED`. */
export async function readRun(run: RecordedRun, onEntry: (entry: Entry) => void): Promise<void> {
  const { name, binding, payer } = run.header;
  if (binding.mode === "sandbox") return;
  const numbers: string[] = [];
  const segments: number[] = [];
  const senders: (Sender | undefined)[] = [];
  for await (const message of run.readMessages()) {
    numbers.push(message.to);
    segments.push(message.segments);
    senders.push(message.sender);
  }
  const toOf = (index: number) => numbers[index] ?? "";
  await readAttempts(run, toOf, ({ index, begun, at, outcome }) => {
    const sent = {
      begun,
      at,
      run: name,
      payer,
      mode: binding.mode,
      to: toOf(index),
      sender: senders[index],
      segments: segments[index] ?? 0,
      outcome,
    };
    onEntry(entryOf(sent));
  });
}
