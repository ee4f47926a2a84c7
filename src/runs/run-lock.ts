import { existsSync, rmdirSync } from "node:fs";
import { SmsError, usageError } from "../errors.ts";
import { errorCode } from "../files/error-code.ts";
import { makeFolder } from "../files/folder.ts";
import { acquireLock, type Held, heldBy, holderText, type Lock } from "../files/lock.ts";
import type { Processes } from "../host.ts";
import { unknownRun } from "./header.ts";
import { requirePrivateRun, type RunFiles } from "./run-files.ts";

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
