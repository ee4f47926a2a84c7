import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Outcome } from "../../message/outcome.ts";
import { interruption, usageError } from "../../errors.ts";
import { removeFile, removeLeftovers, replaceFile, retryOnWindows } from "../../files/durable.ts";
import { makeFolder, syncFolder } from "../../files/folder.ts";
import { awaitLock, type Lock } from "../../files/lock.ts";
import { notRecordable, readIfThere, requirePrivateState, type StateFolder } from "../../files/state-folder.ts";
import type { Host } from "../../host.ts";
import { type HeldKey, type OnceKeeper, type OnceKey, keyName, type OnceTerms } from "../once.ts";
import { type OnceIntent, outcomeLine, readKeyLines, type StoredKey, usedBy } from "../once-lines.ts";

type Machine = Pick<Host, "interruption" | "now" | "processes" | "random" | "sleep" | "wallClock">;

const folderName = "once";

/** The keys of `--once` in a state folder: a file and a lock for each. */
export function onceFolder(state: StateFolder, machine: Machine): OnceKeeper {
  const usedAt = (path: string, key: OnceKey, terms: OnceTerms) =>
    usedBy(readKeyFile(path), { key, terms, now: machine.wallClock() });
  return {
    find: async (key, terms) => usedAt(onceFile(state, key), key, terms),
    claim: async (key, terms, patience) => {
      const path = onceFile(state, key);
      const stored = readKeyFile(path);
      const known = usedBy(stored, { key, terms, now: machine.wallClock() });
      // Without an outcome its request may be on its way.
      if (known !== undefined && stored?.outcome !== undefined) return known;
      const lock = await lockKey(state, { path, timeoutMs: patience }, machine);
      let held: HeldKey | undefined;
      try {
        const used = usedAt(path, key, terms);
        if (used !== undefined) return used;
        held = heldKey(path, { terms, lock }, machine);
        return held;
      } finally {
        if (held === undefined) lock.release();
      }
    },
  };
}

export function onceFile({ path }: StateFolder, key: Parameters<typeof keyName>[0]): string {
  return join(path, folderName, `${keyName(key)}.ndjson`);
}

async function lockKey(
  state: StateFolder,
  { path, timeoutMs }: { readonly path: string; readonly timeoutMs: number },
  machine: Machine,
): Promise<Lock> {
  const { stop } = machine.interruption();
  const sleep = async (ms: number) => {
    await machine.sleep(ms, stop);
    if (stop.aborted) throw interruption(stop, "unsent");
  };
  requirePrivateState(state, folderName);
  makeOnceFolder(dirname(path));
  // Again: another user may have been first to make it.
  requirePrivateState(state, folderName);
  const { now, random, processes } = machine;
  return awaitLock(path.replace(/ndjson$/, "lock"), processes, { now, random, sleep, timeoutMs });
}

function makeOnceFolder(folder: string): void {
  if (existsSync(folder)) return;
  try {
    makeFolder(folder);
    syncFolder(dirname(folder));
  } catch (error) {
    throw notRecordable(error, "message");
  }
}

function heldKey(
  path: string,
  { terms, lock }: { readonly terms: OnceTerms; readonly lock: Lock },
  { wallClock }: Machine,
): HeldKey {
  let intent: OnceIntent | undefined;
  const requireOurs = () => {
    if (!lock.isOurs()) throw usageError("LOCKED", `the lock of ${path} was removed or replaced`, "use another key");
  };
  const withdraw = () => {
    if (intent !== undefined && lock.isOurs()) removeIntent(path, intent);
    intent = undefined;
  };
  return {
    kind: "held",
    intend: async () => {
      if (intent !== undefined) return;
      // Before, so that what another command recorded is kept; and behind, since the disk may have taken long.
      requireOurs();
      removeLeftovers(path);
      // A pause counts from the last try, which may come a minute after the first.
      intent = { version: 1, at: new Date(wallClock()).toISOString(), ...terms };
      replaceFile(path, keyFile(intent), 0o600);
      requireOurs();
    },
    withdraw: async () => withdraw(),
    settle: async (outcome) => {
      if (outcome.kind === "rejected" || outcome.kind === "unsent") withdraw();
      else if (intent !== undefined) replaceFile(path, keyFile(intent, outcome), 0o600);
    },
    release: async () => lock.release(),
  };
}

/** Removes the file of a key if it is this intent. One that comes back after a power cut counts as uncertain. */
function removeIntent(path: string, intent: OnceIntent): void {
  if (readIfThere(path) !== keyFile(intent).toString()) return;
  retryOnWindows(() => removeFile(path));
  try {
    syncFolder(dirname(path));
  } catch {
    // It is removed for all who look.
  }
}

function keyFile(intent: OnceIntent, outcome?: Outcome): Buffer {
  const result = outcome === undefined ? "" : outcomeLine(outcome);
  return Buffer.from(`${JSON.stringify(intent)}\n${result}`);
}

/** Reads the file of a key, if there is one. Throws a usage error `ONCE_DAMAGED` if it is not what sms wrote. */
function readKeyFile(path: string): StoredKey | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const [intent = "", result = "", ...rest] = text.split("\n");
  // A line without an end is broken.
  const outcome = result === "" ? undefined : rest.length === 1 ? result : "";
  return readKeyLines(intent, outcome, `${path}, the record of a key of --once,`);
}
