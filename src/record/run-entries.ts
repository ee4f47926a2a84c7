import { statSync } from "node:fs";
import type { StateFolder } from "../files/state-folder.ts";
import type { Sender } from "../core/sender.ts";
import { readAttempts } from "../runs/attempts.ts";
import { readHeader, type RunHeader } from "../runs/header.ts";
import { readPlan } from "../runs/plan.ts";
import { type RunFiles, runFiles, runNames } from "../runs/run-files.ts";
import { type Entry, entryOf } from "./entry.ts";

/** A run of which the history cannot be read, and why. */
export interface UnreadableRun {
  readonly name: string;
  readonly reason: string;
}

/** Which tries of runs are read. */
export interface RunSelection {
  /** Runs that were last recorded before this time are left out. Milliseconds since 1970. */
  readonly since: number;
  /** Whether tries to reach a number are read. */
  readonly isWanted: (to: string) => boolean;
}

/** Reads the tries of all recorded runs as entries, but not of those in a sandbox, and returns the runs that cannot be read. */
export async function readRunEntries(
  state: StateFolder,
  { since, isWanted }: RunSelection,
  onEntry: (entry: Entry) => void,
): Promise<readonly UnreadableRun[]> {
  const unreadable: UnreadableRun[] = [];
  for (const name of runNames(state)) {
    try {
      const files = runFiles(state, name);
      const header = readHeader(files);
      if (header === undefined || statSync(files.journal).mtimeMs < since) continue;
      await readRun(files, header, (entry, to) => {
        if (isWanted(to)) onEntry(entry);
      });
    } catch (error) {
      unreadable.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  return unreadable;
}

/** Reads the tries of one run as entries, none if it was in a sandbox. `hash` is for their numbers. Throws `RUN_DAMAGED`. */
export async function readRun(
  files: Pick<RunFiles, "plan" | "journal">,
  header: RunHeader,
  onEntry: (entry: Entry, to: string) => void,
  hash?: (to: string) => string,
): Promise<void> {
  const { name, binding, payer } = header;
  if (binding.mode === "sandbox") return;
  const numbers: string[] = [];
  const segments: number[] = [];
  const senders: (Sender | undefined)[] = [];
  for await (const message of readPlan(files.plan)) {
    numbers.push(message.to);
    segments.push(message.segments);
    senders.push(message.sender);
  }
  const toOf = (index: number) => numbers[index] ?? "";
  await readAttempts(files, header, toOf, ({ index, begun, at, isTimed, outcome }) => {
    const to = toOf(index);
    const message = {
      run: name,
      payer,
      mode: binding.mode,
      to,
      sender: senders[index],
      segments: segments[index] ?? 0,
    };
    onEntry(entryOf({ ...message, begun: isTimed ? begun : undefined, at, outcome }, hash?.(to)), to);
  });
}
