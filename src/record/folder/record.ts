import type { StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import type { RecordKeeper } from "../record.ts";

/** The record of this machine, in files of its state folder. What a plain send does not use is loaded when it is asked for. */
export function folderRecord(state: StateFolder, host: Host): RecordKeeper {
  return {
    runs: async () => (await import("./runs.ts")).folderRuns(state, host),
  };
}
