import { fileError } from "../errors.ts";
import type { StateFolder } from "../files/state-folder.ts";
import { readHeader, type RunHeader } from "./header.ts";
import { readBegunJournal } from "./journal-reader.ts";
import { Ledger, type Tally } from "./ledger.ts";
import { type RunFiles, runFiles, runNames } from "./run-files.ts";

/** A run in a list. */
export interface ListedRun {
  readonly header: RunHeader;
  readonly tally: Tally;
}

/** A run that cannot be read, and why. */
export interface UnreadableRun {
  readonly name: string;
  readonly reason: string;
}

/** The latest runs under a state folder. */
export interface RunList {
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

/** Returns a run that the error keeps from being read. */
export function unreadableRun(name: string, error: unknown): UnreadableRun {
  const known = fileError(error) ?? error;
  return { name, reason: known instanceof Error ? known.message : String(known) };
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
