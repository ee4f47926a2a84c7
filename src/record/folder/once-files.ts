import { readdirSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { Outcome } from "../../message/outcome.ts";
import { interruptionError, usageError } from "../../errors.ts";
import { removeFile, removeLeftovers, replaceFile, retryOnWindows } from "../../files/durable.ts";
import { syncFolder } from "../../files/file-system.ts";
import { acquireLock, awaitLock, type Lock } from "../../files/lock.ts";
import { makeStateFolder, notRecordable, readIfThere, type StateFolder } from "../../files/state-folder.ts";
import type { Machine } from "../../host.ts";
import { addToList, readListed } from "./once-list.ts";
import { keyName, type OnceKeeper, type OnceClaim } from "../once.ts";
import {
  notInFuture,
  isForgotten,
  type OnceIntent,
  outcomeLine,
  readKeyLines,
  type StoredKey,
  usedBy,
} from "../once-lines.ts";

const folderName = "once";

/** A new key lists the keys of its folder, so 256 folders keep that list short. */
export function onceFolder(state: StateFolder, machine: Machine): OnceKeeper {
  const { wallClock } = machine;
  return {
    find: async (key, use) => usedBy(readKey(onceFile(state, key)), key, use, wallClock()),
    claim: async (key, use, patienceMs) => {
      const path = onceFile(state, key);
      const before = readKey(path);
      const answer = usedBy(before, key, use, wallClock());
      // Without an outcome its request may be on its way; a time that was in the future is stored anew below.
      if (answer !== undefined && before?.outcome !== undefined && answer.at === before.intent.at) return answer;
      const lock = await lockKey(state, path, patienceMs, machine);
      let ours: OnceClaim | undefined;
      try {
        const latest = readKey(path);
        const usedKey = usedBy(latest, key, use, wallClock());
        if (usedKey !== undefined) {
          if (latest !== undefined && usedKey.at !== latest.intent.at) keepTime(path, latest, wallClock());
          return usedKey;
        }
        if (key.pauseMs !== undefined) await dropSome(dirname(path), machine);
        ours = onceClaim({ ...use, pauseMs: key.pauseMs }, { ...machine, state, path, lock });
        return ours;
      } finally {
        if (ours === undefined) lock.release();
      }
    },
  };
}

export function onceFile({ path }: StateFolder, key: Parameters<typeof keyName>[0]): string {
  const name = keyName(key);
  return join(path, folderName, name.slice(0, 2), `${name}.ndjson`);
}

async function lockKey(state: StateFolder, path: string, timeoutMs: number, machine: Machine): Promise<Lock> {
  const { stop } = machine.interruption();
  const sleep = async (ms: number) => {
    await machine.sleep(ms, stop);
    if (stop.aborted) throw interruptionError(stop, "unsent");
  };
  try {
    makeStateFolder(state, folderName, basename(dirname(path)));
  } catch (error) {
    throw notRecordable(error, "message");
  }
  return awaitLock(lockOf(path), { ...machine, sleep }, timeoutMs);
}

function lockOf(path: string): string {
  return path.replace(/ndjson$/, "lock");
}

/** A clock that was ahead said when this key was used. If the file cannot be written, the next command tries again. */
function keepTime(path: string, key: StoredKey, now: number): void {
  const { intent, outcome } = notInFuture(key, now);
  try {
    replaceFile(path, keyFile(intent, outcome));
  } catch {
    // Nothing is sent now in any case.
  }
}

const filesToDrop = 8;

/** A key that cannot be read or locked stays. */
async function dropSome(folder: string, { processes, random, wallClock }: Machine): Promise<void> {
  const names = readdirSync(folder).filter((name) => name.endsWith(".ndjson"));
  const first = Math.floor(random() * names.length);
  const some = [...names.slice(first), ...names.slice(0, first)].slice(0, filesToDrop);
  for (const path of some.map((name) => join(folder, name))) {
    try {
      const isDue = () => {
        const key = readKeyFile(path);
        return key !== undefined && isForgotten(key, wallClock());
      };
      if (!isDue()) continue;
      const lock = await acquireLock(lockOf(path), processes);
      if (lock.kind === "taken") continue;
      try {
        if (isDue()) removeFile(path);
      } finally {
        lock.release();
      }
    } catch {
      // Another new key looks at this one later.
    }
  }
}

interface LockedKey extends Pick<Machine, "processes" | "wallClock"> {
  readonly state: StateFolder;
  readonly path: string;
  readonly lock: Lock;
}

function onceClaim(
  use: Omit<OnceIntent, "version" | "at">,
  { state, path, lock, processes, wallClock }: LockedKey,
): OnceClaim {
  let intent: OnceIntent | undefined;
  const requireOurs = () => {
    if (!lock.isOurs()) throw usageError("LOCKED", `the lock of ${path} was removed or replaced`, "use another key");
  };
  const withdraw = () => {
    if (intent !== undefined && lock.isOurs()) {
      removeIntent(path, intent);
      try {
        // A file that comes back after a power cut counts as uncertain.
        syncFolder(dirname(path));
      } catch {
        // The file is removed for all who look.
      }
    }
    intent = undefined;
  };
  return {
    kind: "ours",
    intend: async () => {
      if (intent !== undefined) return;
      // The lock is checked before, to keep another command's record, and after, since the disk may take long.
      requireOurs();
      removeLeftovers(path);
      // A pause counts from the last try, which may come a minute after the first.
      intent = { version: 1, at: new Date(wallClock()).toISOString(), ...use };
      replaceFile(path, keyFile(intent));
      requireOurs();
    },
    withdraw: async () => withdraw(),
    settle: async (outcome) => {
      if (outcome.kind === "rejected" || outcome.kind === "unsent") return withdraw();
      if (intent === undefined) return;
      const line = `${JSON.stringify(intent)}\t${outcomeLine(outcome)}`;
      const isListed = use.pauseMs === undefined && (await addToList(state, path, line, processes));
      if (!isListed) return replaceFile(path, keyFile(intent, outcome));
      try {
        removeIntent(path, intent);
      } catch {
        // The line has the same intent, and the outcome.
      }
    },
    release: async () => lock.release(),
  };
}

function removeIntent(path: string, intent: OnceIntent): void {
  if (readIfThere(path) === keyFile(intent)) retryOnWindows(() => removeFile(path));
}

function keyFile(intent: OnceIntent, outcome?: Outcome): string {
  const result = outcome === undefined ? "" : outcomeLine(outcome);
  return `${JSON.stringify(intent)}\n${result}`;
}

function readKey(path: string): StoredKey | undefined {
  // A process adds the line before it removes the file, so the file is read first.
  const ofFile = readKeyFile(path);
  if (ofFile?.outcome !== undefined) return ofFile;
  const ofList = readListed(path, ofFile !== undefined);
  if (ofFile === undefined) return ofList;
  return JSON.stringify(ofList?.intent) === JSON.stringify(ofFile.intent) ? ofList : ofFile;
}

function readKeyFile(path: string): StoredKey | undefined {
  const text = readIfThere(path);
  if (text === undefined) return undefined;
  const [intent = "", result = "", ...rest] = text.split("\n");
  // A line without an end is broken.
  const outcome = result === "" ? undefined : rest.length === 1 ? result : "";
  return readKeyLines(intent, outcome, `${path}, the record of a key of --once,`);
}
