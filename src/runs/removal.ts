import { randomBytes } from "node:crypto";
import { readdirSync, renameSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { usageError } from "../errors.ts";
import { errorCode } from "../files/error-code.ts";
import { patiently } from "../files/patience.ts";
import type { Processes } from "../host.ts";
import { readHeader, runChanged, unknownRun } from "./header.ts";
import { type RunFiles, runNames } from "./run-files.ts";
import { lockRun } from "./run-lock.ts";

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
