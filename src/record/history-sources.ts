import { type OnRead, type OnShare, shareOf } from "./folder/line-file.ts";
import type { StateFolder } from "../files/state-folder.ts";
import { historyFiles, historyPath, monthAt, monthOf } from "./history-folder.ts";
import { historyStart } from "./history-start.ts";
import { isStillRecorded } from "./removed-runs.ts";
import { findRuns, type FoundRuns } from "./run-entries.ts";

/** What a history is read from: runs, and files of its own. */
export interface HistorySources extends FoundRuns {
  /** The time that was asked for, or when the history begins if that is later. Milliseconds since 1970. */
  readonly since: number;
  /** The paths of the files. */
  readonly files: readonly string[];
  readonly onRead: OnRead;
}

/** Finds what may have entries since a time. `onShare` receives how far they are read. Throws a usage error `INSECURE_STATE`. */
export function findHistory(state: StateFolder, asked: number, onShare: OnShare): HistorySources {
  const since = Math.max(asked, historyStart(state));
  const first = monthAt(since);
  const names = historyFiles(state).filter((name) => {
    const month = monthOf(name);
    return month === undefined ? !isStillRecorded(state, name) : month >= first;
  });
  const files = names.map((name) => historyPath(state, name));
  const found = findRuns(state, since);
  const ofRuns = found.runs.flatMap(({ files: { plan, journal } }) => [plan, journal]);
  return { since, files, ...found, onRead: shareOf([...files, ...ofRuns], onShare) };
}
