import { rmdirSync } from "node:fs";
import { SmsError, usageError } from "../errors.ts";
import { errorCode } from "../files/error-code.ts";
import { makeFolder } from "../files/folder.ts";
import { acquireLock, type Lock } from "../files/lock.ts";
import type { Processes } from "../host.ts";
import { requirePrivateRun, type RunFiles } from "./run-files.ts";

/** Makes the folder of a run and takes its lock. Throws `RUN_BUSY` if another process has it, and as `requirePrivateRun`. */
export function lockRun(files: RunFiles, processes: Processes): Lock {
  try {
    makeFolder(files.folder);
  } catch (error) {
    throw notRecordable(error);
  }
  // Again: another user may have been first to make it.
  requirePrivateRun(files.state, files.name);
  const taken = acquireLock(files.lock, processes);
  if (taken.kind === "lock") return taken;
  throw usageError(
    "RUN_BUSY",
    `process ${taken.pid} is working on the run ${files.name}`,
    "wait until it ends, or stop it: what it has sent is recorded",
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

/** Returns the error for a run whose files cannot be written before it has begun. */
export function notRecordable(cause: unknown): SmsError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  const isFull = ["ENOSPC", "EDQUOT"].includes(errorCode(cause));
  return new SmsError("usage", `the run cannot be recorded: ${reason}`, {
    errorCode: "NOT_RECORDABLE",
    hint: `${isFull ? "make room there" : "check that you may write there"}, or name another folder in SMS_STATE_DIR`,
    cause,
  });
}
