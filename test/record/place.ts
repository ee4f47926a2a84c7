import { folderRecord } from "../../src/record/folder/record.ts";
import { postgresRecord } from "../../src/record/postgres/record.ts";
import type { RecordKeeper } from "../../src/record/record.ts";
import { machine, ours } from "../files/this-process.ts";

const never = new AbortController().signal;

/** The sessions of this process. */
const sessions = new Map<string, RecordKeeper>();

/** Opens the record of a place, a folder or a URL, as a process with this id does. */
export function openAt(place: string, pid = process.pid): RecordKeeper {
  const host = {
    ...machine,
    processes: { ...machine.processes, pid },
    wallClock: Date.now,
    interruption: () => ({ stop: never, leave: never }),
  };
  if (!place.startsWith("postgres:")) return folderRecord(ours(place), host);
  const session = sessions.get(`${place} ${pid}`) ?? postgresRecord(place, host);
  sessions.set(`${place} ${pid}`, session);
  return session;
}
