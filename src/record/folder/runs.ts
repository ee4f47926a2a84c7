import { randomBytes } from "node:crypto";
import { existsSync, openSync, readdirSync, renameSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { removeFile, replaceFile, syncFolder } from "../../files/durable.ts";
import { SmsError, usageError } from "../../errors.ts";
import { errorCode } from "../../files/error-code.ts";
import { makeFolder } from "../../files/folder.ts";
import { acquireLock, type Held, heldBy, holderText, type Lock } from "../../files/lock.ts";
import { useFile } from "../../files/open-file.ts";
import { patiently } from "../../files/patience.ts";
import type { Processes } from "../../host.ts";
import { readHeader, runChanged, type RunHeader, unknownRun } from "../header.ts";
import { firstLine } from "../journal-entry.ts";
import { readBegunJournal } from "./journal-reader.ts";
import { Ledger } from "../ledger.ts";
import { checkPlan, damaged } from "../plan.ts";
import { requirePrivateRun, type RunFiles, runNames } from "./run-files.ts";

/** A run that has begun, as its files describe it. */
export interface BegunRun {
  readonly files: RunFiles;
  readonly header: RunHeader;
  readonly ledger: Ledger;
  /** The length of the journal's whole lines. Bytes. */
  readonly journalLength: number;
  /** When the journal was last written, in milliseconds since 1970; undefined if nothing was tried yet. */
  readonly lastWritten: number | undefined;
}

/** Begins a run whose plan is written: writes the first line of the journal, then the header. The caller holds the run's lock. */
export function beginRun(files: RunFiles, header: RunHeader): void {
  removeFile(files.journal);
  const journal = openSync(files.journal, "wx", 0o600);
  useFile(journal, files.journal, () => writeFileSync(journal, firstLine, { flush: true }));
  replaceFile(files.header, Buffer.from(`${JSON.stringify(header)}\n`), 0o600);
  syncFolder(join(files.folder, ".."));
}

/** Reads a run; undefined if none of that name has begun. Throws `RUN_DAMAGED` if its files do not match. */
export async function readRun(files: RunFiles): Promise<BegunRun | undefined> {
  const header = readHeader(files);
  if (header === undefined) return undefined;
  try {
    const ledger = new Ledger(await checkPlan(files.plan, header.plan, files.onRead));
    const journalLength = await readBegunJournal(files.journal, ledger, files.onRead);
    const lastWritten = journalLength > firstLine.length ? statSync(files.journal).mtimeMs : undefined;
    return { files, header, ledger, journalLength, lastWritten };
  } catch (error) {
    throw errorCode(error) === "ENOENT" ? damaged(`a file of ${files.folder} is missing`) : error;
  }
}

/** Reads a run as `readRun` does, and throws `UNKNOWN_RUN` if there is none of that name. */
export async function requireRun(files: RunFiles): Promise<BegunRun> {
  const run = await readRun(files);
  if (run === undefined) throw unknownRun(files.name);
  return run;
}

/**
 * Removes a run, even a damaged one or one that never began, once `confirm` returns. Throws `UNKNOWN_RUN`, or
 * `RUN_BUSY` while a process works on it, and what `confirm` throws.
 */
export async function removeRun(files: RunFiles, processes: Processes, confirm: () => Promise<void>): Promise<void> {
  if (!runNames(files.state).includes(files.name)) throw unknownRun(files.name);
  const lock = await lockRun(files, processes);
  try {
    await confirm();
    // Renamed first, to a name that no run can have: nobody can begin a run in a folder that is being removed.
    const removed = `${files.folder}~${randomBytes(8).toString("hex")}`;
    patiently(() => renameSync(files.folder, removed));
    removeRenamed(dirname(files.folder), files.name);
  } finally {
    lock.release();
  }
}

/**
 * Removes a rehearsal that has begun, if there is one, once `keep` returns. Throws a usage error `RUN_CHANGED` if the run of
 * that name is not a rehearsal.
 */
export async function removeRehearsal(files: RunFiles, processes: Processes, keep: () => Promise<void>): Promise<void> {
  const header = readHeader(files);
  if (header === undefined) return;
  if (header.isRehearsal) return removeRun(files, processes, keep);
  throw runChanged(`the run ${files.name} is not a rehearsal, so it is not replaced`, "give another name with --run");
}

/** Removes the folders that this command, or one that was killed, has renamed. Throws what is left of the run `name`. */
function removeRenamed(folder: string, name: string): void {
  try {
    for (const entry of readdirSync(folder)) {
      if (/~[0-9a-f]{16}$/.test(entry)) patiently(() => rmSync(join(folder, entry), { recursive: true, force: true }));
    }
  } catch (error) {
    const message = `run ${name} is removed, but its numbers and texts are still in ${folder}, in the folder ${name}~…`;
    throw usageError(
      "NOT_REMOVED",
      `${message} (${errorCode(error)})`,
      "remove that folder; the next `sms runs remove` does, too",
    );
  }
}

/** Makes the folder of a run and takes its lock. Throws `RUN_BUSY` if another process has it, and as `requirePrivateRun`. */
export async function lockRun(files: RunFiles, processes: Processes): Promise<Lock> {
  try {
    makeFolder(files.folder);
  } catch (error) {
    throw notRecordable(error);
  }
  // Again: another user may have been first to make it.
  requirePrivateRun(files.state, files.name);
  const taken = await acquireLock(files.lock, processes);
  if (taken.kind === "lock") return taken;
  throw busy(files, taken);
}

/**
 * Returns the lock of a run whose holder may be gone, for a person to break. Throws `UNKNOWN_RUN`, `NOT_LOCKED` if
 * the run can be resumed without that, and `RUN_BUSY` if the holder is at work on this machine.
 */
export async function lockToBreak(files: RunFiles, processes: Processes): Promise<Held> {
  if (!existsSync(files.folder)) throw unknownRun(files.name);
  const held = await heldBy(files.lock, processes);
  if (held?.life === "alive") throw busy(files, held);
  if (held?.life === "unknown") return held;
  const hint = `\`sms runs resume ${files.name}\` continues it`;
  throw usageError("NOT_LOCKED", `run ${files.name} is not locked`, hint);
}

/** The process that sends a run now, in words. `isSure` is false if it may be gone. */
export interface RunSender {
  readonly process: string;
  readonly isSure: boolean;
}

/** Returns who sends a run now; undefined if nobody does. */
export async function senderOf({ lock }: RunFiles, processes: Processes): Promise<RunSender | undefined> {
  const held = await heldBy(lock, processes);
  if (held === undefined || held.life === "dead") return undefined;
  return { process: holderText(held), isSure: held.life === "alive" };
}

function busy(files: RunFiles, held: Held): SmsError {
  return usageError(
    "RUN_BUSY",
    `${holderText(held)} works on run ${files.name}: it holds ${held.path}`,
    held.life === "alive"
      ? "wait until it ends, or stop it: what it has sent is recorded"
      : `wait until it ends; if you know that it is gone, \`sms runs unlock ${files.name}\``,
  );
}

/** Releases the lock of a run, and removes the folder of a run that never began. */
export function releaseRun({ folder }: RunFiles, lock: Lock): void {
  lock.release();
  try {
    rmdirSync(folder);
  } catch {
    // It has begun, or another process is beginning it.
  }
}

/** Returns the error for what cannot be recorded before it is sent. */
export function notRecordable(cause: unknown, what: "run" | "message" = "run"): SmsError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isFull = ["ENOSPC", "EDQUOT"].includes(errorCode(cause));
  return new SmsError("usage", `the ${what} cannot be recorded: ${reason}`, {
    errorCode: "NOT_RECORDABLE",
    hint: `${isFull ? "make room there" : "check that you may write there"}, or name another folder in SMS_STATE_DIR`,
    cause,
  });
}
