import { existsSync, rmSync } from "node:fs";
import { interruption } from "../errors.ts";
import type { Host } from "../host.ts";
import { countDue, type Due, type Retry } from "./due.ts";
import { refuseChanges, requireHeader, type RunBinding } from "./header.ts";
import { type DraftMessage, summarizePlan, writePlan } from "./plan.ts";
import { beginRun, type BegunRun, readRun, requireRun } from "./run.ts";
import type { RunFiles } from "./run-files.ts";
import { lockRun, notRecordable, releaseRun } from "./run-lock.ts";

/** A run that this process alone may carry out, until it closes it. */
export interface OpenRun extends BegunRun {
  readonly close: () => void;
}

/** Shows what a run would send and asks whether it may. Throws if it may not. */
export type Approve = (due: Due) => Promise<void>;

/** Begins a run once its plan is written and approved, or continues the run of that name if its plan is the same. */
export function planRun(
  files: RunFiles,
  messages: AsyncIterable<DraftMessage>,
  binding: RunBinding,
  host: Host,
  approve: Approve,
): Promise<OpenRun> {
  return underLock(files, host, async () => {
    const begun = await readRun(files);
    const drafts = untilStopped(messages, host);
    if (begun === undefined) await begin(files, drafts, binding, host, approve);
    else await approve(await dueAgain(begun, drafts, binding));
    return requireRun(files);
  });
}

/** Returns what the same command without `--dry-run` would send, and writes nothing. */
export async function rehearseRun(
  files: RunFiles,
  messages: AsyncIterable<DraftMessage>,
  binding: RunBinding,
): Promise<Due> {
  const begun = await readRun(files);
  if (begun !== undefined) return dueAgain(begun, messages, binding);
  return { ...(await summarizePlan(messages)), exposure: 0 };
}

/** Opens a run to send the rest of it, once that is approved. Throws `UNKNOWN_RUN`, or `RUN_CHANGED` for another destination. */
export async function resumeRun(
  files: RunFiles,
  binding: RunBinding,
  retry: Retry,
  host: Host,
  approve: Approve,
): Promise<OpenRun> {
  // Before the lock, which would make a folder for a run that does not exist.
  requireHeader(files.name, files.header);
  return underLock(files, host, async () => {
    const run = await requireRun(files);
    refuseChanges(run.header, binding);
    await approve(await countDue(run, retry));
    return run;
  });
}

async function underLock(files: RunFiles, { processes }: Host, open: () => Promise<BegunRun>): Promise<OpenRun> {
  const lock = lockRun(files, processes);
  const close = () => releaseRun(files, lock);
  try {
    return { ...(await open()), close };
  } catch (error) {
    close();
    throw error;
  }
}

async function begin(
  files: RunFiles,
  messages: AsyncIterable<DraftMessage>,
  binding: RunBinding,
  host: Host,
  approve: Approve,
): Promise<void> {
  try {
    const plan = await writePlan(files.plan, messages);
    await approve({ ...plan, exposure: 0 });
    const started = new Date(host.now()).toISOString();
    beginRun(files, { version: 1, name: files.name, started, binding, plan });
  } catch (error) {
    // Nothing of it was sent, so nothing of it is kept.
    if (!existsSync(files.header)) for (const path of [files.plan, files.journal]) rmSync(path, { force: true });
    throw error instanceof Error && "syscall" in error ? notRecordable(error) : error;
  }
}

/** Compares a command that is given again with the run that it began, and counts what is left to send. */
async function dueAgain(begun: BegunRun, messages: AsyncIterable<DraftMessage>, binding: RunBinding): Promise<Due> {
  refuseChanges(begun.header, binding, await summarizePlan(messages));
  return countDue(begun, []);
}

/** Throws on interruption: a plan that is half written is removed. */
async function* untilStopped(messages: AsyncIterable<DraftMessage>, host: Host): AsyncGenerator<DraftMessage> {
  const { stop } = host.interruption();
  for await (const message of messages) {
    if (stop.aborted) throw interruption(stop, "unsent", "interrupted before anything was sent");
    yield message;
  }
}
