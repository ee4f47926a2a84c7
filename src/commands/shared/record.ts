import type { Host } from "../../host.ts";
import { stateFolder } from "../../profiles/folders.ts";
import { folderRecord } from "../../record/folder/record.ts";
import type { RecordKeeper } from "../../record/record.ts";
import { noFolder, type Recorded } from "./profile.ts";

/** Returns the record that this command uses; undefined if this user has no folder for it. */
export function openRecord(host: Host): RecordKeeper | undefined {
  const state = stateFolder(host);
  return state && folderRecord(state, host);
}

/** Returns the record, and throws a usage error `NO_HOME` if there is none. `what` is to be kept there. */
export function requireRecord(host: Host, what: Recorded): RecordKeeper {
  const record = openRecord(host);
  if (record === undefined) throw noFolder(what);
  return record;
}
