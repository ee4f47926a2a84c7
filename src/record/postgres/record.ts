import type { Host } from "../../host.ts";
import type { RecordKeeper } from "../record.ts";
import { postgresAccount } from "./account.ts";
import { readRecordAddress } from "./address.ts";
import { type Database, openDatabase, requireRights } from "./database.ts";
import { postgresHistory } from "./history.ts";
import { postgresOnce } from "./once.ts";
import { postgresOptOuts } from "./opt-outs.ts";
import { postgresRuns } from "./runs.ts";
import { postgresWatched } from "./watched.ts";

type Machine = Pick<
  Host,
  "environment" | "interruption" | "now" | "platform" | "processes" | "random" | "sleep" | "wallClock"
>;

/** The first question connects. */
export function postgresRecord(url: string, machine: Machine): RecordKeeper {
  const key = `${machine.processes.pid} ${url}`;
  const record =
    records.get(key) ?? recordIn(openDatabase(readRecordAddress(url, machine), machine.processes.pid), machine);
  records.set(key, record);
  return record;
}

const records = new Map<string, RecordKeeper>();

export function recordIn(database: Database, machine: Machine): RecordKeeper {
  return {
    runs: async () => postgresRuns(database, machine),
    once: async () => postgresOnce(database, machine),
    optOuts: async () => postgresOptOuts(database),
    history: async () => postgresHistory(database, machine),
    account: async () => postgresAccount(database, machine),
    watched: async () => postgresWatched(database),
    requireWritable: () => requireRights(database),
  };
}
