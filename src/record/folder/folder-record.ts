import type { StateFolder } from "../../files/state-folder.ts";
import type { Machine } from "../../host.ts";
import type { HistoryKeeper } from "../history.ts";
import type { RecordKeeper } from "../record-keeper.ts";
import { accountFolder } from "./account-files.ts";
import { appendEntry, appendLine } from "./history-files.ts";
import { existsSync, lstatSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../../files/file-system.ts";
import type { OptedOut, OptOutKeeper } from "../opt-outs.ts";

/** A plain send loads only what it uses. */
export function folderRecord(state: StateFolder, machine: Machine): RecordKeeper {
  return {
    runs: async () => (await import("./runs-folder.ts")).folderRuns(state, machine),
    once: async () => (await import("./once-files.ts")).onceFolder(state, machine),
    optOuts: async () => optOutFolder(state, machine),
    history: async () => historyFolder(state),
    account: async () => accountFolder(state),
    spending: async () => (await import("./spending-files.ts")).spendingFolder(state, machine),
    watched: async () => (await import("./watched-files.ts")).watchFolder(state, machine),
    requireWritable: async () => {},
  };
}

function historyFolder(state: StateFolder): HistoryKeeper {
  const read = () => import("./history-reading.ts");
  return {
    append: async (entry) => appendEntry(state, entry),
    requireWritable: async (at) => appendLine(state, at, "\n"),
    newest: async function* newest(since, reading) {
      yield* (await read()).newest(state, since, reading);
    },
    costs: async function* costs(since, reading) {
      yield* (await read()).costs(state, since, reading);
    },
    keepRun: async (name) => (await read()).keepRun(state, name),
    prune: async (before, onShare) => (await read()).prune(state, before, onShare),
  };
}

/** Most people have no opt-outs, so the reader is loaded only if there is a list. */
function optOutFolder(state: StateFolder, machine: Machine): OptOutKeeper {
  const open = async () => (await import("./opt-out-list.ts")).openList(state, machine);
  const none: OptedOut = {
    size: 0,
    has: () => false,
    isCurrent: () => !mayExist(state),
    renew: () => numbers(),
  };
  const numbers = async () => (mayExist(state) ? (await open()).numbers(none) : none);
  return {
    list: async () => (await open()).list(),
    add: async (more) => (await open()).add(more),
    remove: async (people) => (await open()).remove(people),
    numbers,
  };
}

/** A link that leads nowhere may hide the list. */
function mayExist({ path }: StateFolder): boolean {
  const isThere = (file: string) => lstatSync(file, { throwIfNoEntry: false }) !== undefined;
  try {
    return isThere(join(path, "optout")) || (!existsSync(path) && isThere(path));
  } catch (error) {
    return errorCode(error) !== "ENOTDIR";
  }
}
