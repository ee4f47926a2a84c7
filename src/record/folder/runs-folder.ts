import { existsSync, openSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomToken, removeFile, removeQuietly, replaceFile, retryOnWindows } from "../../files/durable.ts";
import { syncFolder, makeFolder, errorCode, useFile } from "../../files/file-system.ts";
import { type SmsError, usageError } from "../../errors.ts";
import {
  acquireLock,
  breakLock,
  type TakenLock,
  ownerOfLock,
  ownerText,
  type Lock,
  withLock,
} from "../../files/lock.ts";
import { makeStateFolder, notRecordable, type StateFolder } from "../../files/state-folder.ts";
import type { Machine } from "../../host.ts";
import { encodeEntry, firstLine } from "../journal-entry.ts";
import type { MessageSet } from "../message-set.ts";
import { type Pairs, reachesPhones, RepeatCount, repeatMs } from "../repeats.ts";
import {
  type ListedRun,
  type OwnRun,
  type RecordedRun,
  type RepeatQuestion,
  type Repeats,
  type RunKeeper,
  unknownRun,
  unreadableRun,
} from "../runs.ts";
import { openJournal, type OpenSpending } from "./journal.ts";
import { forgetSum } from "./run-sums.ts";
import { leftOutIn, planIn, runIn, type RunFiles, runFiles, runNames, writePlan } from "./run-files.ts";

export function folderRuns(state: StateFolder, host: Machine): RunKeeper {
  const place = join(state.path, "runs");
  const filesOf = (name: string) => runFiles(state, name);
  const lock = async (name: string): Promise<Lock> => {
    const files = filesOf(name);
    try {
      makeStateFolder(state, "runs", name);
    } catch (error) {
      throw notRecordable(error);
    }
    const ownLock = await acquireLock(files.lock, host.processes);
    if (ownLock.kind === "taken") throw busy(name, ownLock);
    return ownLock;
  };
  const spending = async () => (await import("./spending-files.ts")).spendingFolder(state, host);
  return {
    now: async () => Math.max(host.now(), host.wallClock()),
    list: async () =>
      runNames(state).flatMap((name): ListedRun[] => {
        try {
          const run = runIn(filesOf(name));
          return run === undefined ? [] : [{ kind: "run", run }];
        } catch (error) {
          return [{ kind: "unreadable", ...unreadableRun(name, error) }];
        }
      }),
    read: async (name) => runIn(filesOf(name)),
    repeats: (question) => repeatsIn(state, host, question),
    open: async (name) => openRun(name, filesOf(name), await lock(name), spending),
    owner: async (name) => {
      const owner = await livingOwner(filesOf(name), host);
      return owner && { process: ownerText(owner), isSure: owner.life === "alive" };
    },
    alone: (work) => {
      makeFolder(state.path);
      return withLock(join(state.path, "runs.lock"), host, work);
    },
    remove: async (name, confirm) => {
      const { folder } = filesOf(name);
      if (!existsSync(folder)) throw unknownRun(name);
      const { release } = await lock(name);
      try {
        await confirm();
        // The rename gives a name that no run can have: nobody can begin a run in a folder that is being removed.
        retryOnWindows(() => renameSync(folder, `${folder}~${randomToken()}`));
        forgetSum(state, name);
        removeRenamed(place, name);
      } finally {
        release();
      }
    },
    unlock: async (name, confirm) => {
      const files = filesOf(name);
      if (!existsSync(files.folder)) throw unknownRun(name);
      const owner = await ownerOfLock(files.lock, host.processes);
      if (owner?.life === "alive") throw busy(name, owner);
      if (owner?.life !== "unknown")
        throw usageError("NOT_LOCKED", `run ${name} is not locked`, `\`sms runs show ${name}\` says what is left`);
      await confirm(ownerText(owner));
      breakLock(owner);
    },
  };
}

async function repeatsIn(
  state: StateFolder,
  host: Machine,
  { messageSet, baseUrl, name: ownName, now, since = now - repeatMs }: RepeatQuestion,
): Promise<Repeats> {
  const count = new RepeatCount();
  for (const name of runNames(state)) {
    if (name === ownName) continue;
    const files = runFiles(state, name);
    const isUnderWay = (await livingOwner(files, host)) !== undefined;
    try {
      const run = runIn(files);
      if (run === undefined || !reachesPhones(run.header, baseUrl)) continue;
      if ((await run.lastWritten()) <= since && !isUnderWay) continue;
      const pairs = await pairsIn(run, messageSet);
      if (pairs.theirs.length > 0) await count.add(run, pairs, isUnderWay, since);
    } catch (error) {
      // Another command may have removed the run meanwhile.
      if (existsSync(files.folder)) throw error;
    }
  }
  return count.result();
}

async function livingOwner({ lock }: RunFiles, { processes }: Machine) {
  const owner = existsSync(lock) ? await ownerOfLock(lock, processes) : undefined;
  return owner?.life === "dead" ? undefined : owner;
}

async function pairsIn({ readMessages }: RecordedRun, messageSet: MessageSet): Promise<Pairs> {
  const pairs: Pairs = { theirs: [], ours: [] };
  for await (const message of readMessages()) {
    for (const index of messageSet.indexesOf(message)) {
      pairs.theirs.push(message.index);
      pairs.ours.push(index);
    }
  }
  return pairs;
}

function openRun(name: string, files: RunFiles, { isOurs, release }: Lock, spending: OpenSpending): OwnRun {
  let isPlanned = false;
  const requireOurs = () => {
    if (isOurs()) return;
    const message = `run ${name} was removed, moved or unlocked before it began`;
    throw usageError("NOT_RECORDABLE", message, "give the same command again");
  };
  return {
    name,
    read: async () => runIn(files),
    writePlan: async (rows) => {
      requireOurs();
      isPlanned = true;
      return recordable(() => writePlan(files.plan, rows));
    },
    readPlan: (isWanted) => planIn(files, isWanted),
    readLeftOut: () => leftOutIn(files),
    begin: (header, entries = []) =>
      recordable(async () => {
        // The next owner may have sent some of the run: that journal must not be replaced.
        requireOurs();
        removeFile(files.journal);
        const journal = openSync(files.journal, "wx", 0o600);
        const lines = [firstLine, ...entries.map(encodeEntry)].join("");
        useFile(journal, files.journal, () => writeFileSync(journal, lines, { flush: true }));
        replaceFile(files.header, `${JSON.stringify(header)}\n`);
        syncFolder(join(files.folder, ".."));
      }),
    openWriter: async () => openJournal(files.journal, isOurs, spending),
    release: async () => {
      try {
        // Nothing of a run that has not begun was sent, so nothing of the run is kept.
        if (isPlanned && isOurs() && statSync(files.header, { throwIfNoEntry: false }) === undefined)
          for (const path of [files.plan, files.journal]) removeQuietly(path);
      } catch {
        // A lock or a header that cannot be read says nothing, and what was sent is known by now.
      }
      release();
      try {
        rmdirSync(files.folder);
      } catch {
        // The run has begun, or another process is beginning the run.
      }
    },
  };
}

async function recordable<Result>(work: () => Promise<Result>): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    throw error instanceof Error && "syscall" in error ? notRecordable(error) : error;
  }
}

/** Throws the error for what is left of the run `name`. */
function removeRenamed(place: string, name: string): void {
  try {
    for (const entry of readdirSync(place)) {
      if (/~[0-9a-f]{16}$/.test(entry))
        retryOnWindows(() => rmSync(join(place, entry), { recursive: true, force: true }));
    }
  } catch (error) {
    const message = `run ${name} is removed, but its numbers and texts are still in ${place}, in the folder ${name}~…`;
    const hint = "remove that folder; the next `sms runs remove` does, too";
    throw usageError("NOT_REMOVED", `${message} (${errorCode(error)})`, hint);
  }
}

function busy(name: string, owner: TakenLock): SmsError {
  return usageError(
    "RUN_BUSY",
    `${ownerText(owner)} works on run ${name}: its lock is ${owner.path}`,
    owner.life === "alive"
      ? "wait until it ends, or stop it: what it has sent is recorded"
      : `wait until it ends; if you know that it is gone, \`sms runs unlock ${name}\``,
  );
}
