import { folderRecord } from "../../src/record/folder/record.ts";
import { postgresRecord } from "../../src/record/postgres/record.ts";
import type { RecordKeeper } from "../../src/record/record.ts";
import { machine, ours } from "../files/this-process.ts";

/** Opens the record of a place, a folder or a URL, as a process with this id and these clocks does. */
export function openAt(place: string, pid = process.pid, now = machine.now, wallClock = Date.now): RecordKeeper {
  const host = {
    ...machine,
    now,
    processes: { ...machine.processes, pid },
    wallClock,
    environment: {},
    platform: process.platform,
  };
  return place.startsWith("postgres:") ? postgresRecord(place, host) : folderRecord(ours(place), host);
}
