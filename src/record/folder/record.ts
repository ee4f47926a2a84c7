import type { StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import type { HistoryKeeper } from "../history.ts";
import type { RecordKeeper } from "../record.ts";
import { accountFolder } from "./account.ts";
import { appendEntry, appendLine } from "./history.ts";
import { optOutFolder } from "./opt-outs.ts";

/** A plain send loads only what it uses. */
export function folderRecord(
  state: StateFolder,
  machine: Pick<Host, "interruption" | "now" | "processes" | "random" | "sleep" | "wallClock">,
): RecordKeeper {
  return {
    runs: async () => (await import("./runs.ts")).folderRuns(state, machine),
    once: async () => (await import("./once.ts")).onceFolder(state, machine),
    optOuts: async () => optOutFolder(state, machine),
    history: async () => historyFolder(state),
    account: async () => accountFolder(state, machine),
    requireWritable: async () => {},
  };
}

function historyFolder(state: StateFolder): HistoryKeeper {
  const open = async () => (await import("./history-reading.ts")).openHistory(state);
  return {
    append: async (entry) => appendEntry(state, entry),
    requireWritable: async (at) => appendLine(state, at, "\n"),
    newest: async function* newest(since, reading = {}) {
      yield* (await open()).newest(since, reading);
    },
    costs: async function* costs(since, reading = {}) {
      yield* (await open()).costs(since, reading);
    },
    keepRun: async (name) => (await open()).keepRun(name),
    prune: async (before, onShare) => (await open()).prune(before, onShare),
  };
}
