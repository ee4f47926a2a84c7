import type { Machine } from "../../host.ts";
import type { RecordKeeper } from "../record-keeper.ts";
import { postgresAccount } from "./account-table.ts";
import { readRecordAddress } from "./address.ts";
import { type Database, openDatabase, requireRights } from "./database.ts";
import { postgresHistory } from "./history-table.ts";
import { postgresOnce } from "./once-table.ts";
import { postgresOptOuts } from "./opt-out-table.ts";
import { postgresRuns } from "./runs-table.ts";
import { postgresSpending } from "./spending-table.ts";
import { postgresWatched } from "./watched-table.ts";

/** The first question connects. */
export function postgresRecord(url: string, machine: Machine): RecordKeeper {
  const key = `${machine.processes.pid} ${url}`;
  const record =
    records.get(key) ?? recordIn(openDatabase(readRecordAddress(url, machine), machine.processes.pid), machine);
  records.set(key, record);
  return record;
}

const records = new Map<string, RecordKeeper>();

function recordIn(database: Database, machine: Machine): RecordKeeper {
  return {
    runs: async () => postgresRuns(database, machine),
    once: async () => postgresOnce(database, machine),
    optOuts: async () => postgresOptOuts(database),
    history: async () => postgresHistory(database, machine),
    account: async () => postgresAccount(database),
    spending: async () => postgresSpending(database, machine),
    watched: async () => postgresWatched(database),
    requireWritable: () => requireRights(database),
  };
}
