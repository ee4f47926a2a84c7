import { isAbsolute, join } from "node:path";
import { folderRecord } from "../../src/record/folder/folder-record.ts";
import { postgresRecord } from "../../src/record/postgres/postgres-record.ts";
import { type HistoryEntry, type HistoryKeeper, nothingUnread } from "../../src/record/history.ts";
import type { RecordKeeper } from "../../src/record/record-keeper.ts";
import { machine, ours } from "../files/this-process.ts";
import { temporaryFolder } from "../support/folders.ts";

/** Where a record is kept for one test, as each of the suites of this folder needs it. */
export interface Keeper {
  /** Returns the place of a new, empty record. */
  readonly newPlace: () => string;
}

export const folderKeeper: Keeper = { newPlace: () => join(temporaryFolder(), "state") };

/** Opens the record of a place, a folder or a URL, as a process with this id and these clocks does. */
export function openAt(place: string, pid = process.pid, now = machine.now, wallClock = Date.now): RecordKeeper {
  const host = { ...machine, now, processes: { ...machine.processes, pid }, wallClock };
  if (place.startsWith("postgres:")) return postgresRecord(place, host);
  if (!isAbsolute(place)) throw new Error(`no record is kept at ${place}`);
  return folderRecord(ours(place), host);
}

/** Reads a whole history. `onEntry` is called for each entry as it comes. */
export async function readHistory(history: HistoryKeeper, since = 0, onEntry: () => void = () => {}) {
  const unread = nothingUnread();
  const entries: HistoryEntry[] = [];
  for await (const some of history.newest(since, { unread })) {
    for (const entry of some) {
      entries.push(entry);
      onEntry();
    }
  }
  return { entries, unread, ids: entries.map(({ messageId }) => messageId) };
}
