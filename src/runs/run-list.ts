import { readHeader, type RunHeader } from "./header.ts";
import { readBegunJournal } from "./journal-reader.ts";
import { Ledger, type Tally } from "./ledger.ts";
import type { StateFolder } from "../files/state-folder.ts";
import { runFiles, runNames } from "./run-files.ts";

/** A run in a list. */
export interface ListedRun {
  readonly header: RunHeader;
  readonly tally: Tally;
}

/** A run that cannot be read, and why. */
export interface DamagedRun {
  readonly name: string;
  readonly reason: string;
}

/** Returns the runs under a state folder, the latest first, and those that cannot be read. */
export async function listRuns(
  state: StateFolder,
): Promise<{ readonly runs: readonly ListedRun[]; readonly damaged: readonly DamagedRun[] }> {
  const runs: ListedRun[] = [];
  const damaged: DamagedRun[] = [];
  for (const name of runNames(state)) {
    try {
      const files = runFiles(state, name);
      const header = readHeader(files);
      if (header === undefined) continue;
      const ledger = new Ledger(new Uint8Array(header.plan.messages));
      await readBegunJournal(files.journal, ledger);
      runs.push({ header, tally: ledger.tally() });
    } catch (error) {
      damaged.push({ name, reason: error instanceof Error ? error.message : String(error) });
    }
  }
  runs.sort((a, b) => b.header.started.localeCompare(a.header.started));
  return { runs, damaged };
}
