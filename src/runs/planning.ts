import { existsSync, rmSync } from "node:fs";
import { refuseChanges, type RunBinding } from "./header.ts";
import { type DraftMessage, readPlan, summarizePlan, writePlan } from "./plan.ts";
import { beginRun, type BegunRun, isDue, notRecordable, readRun, type RunFiles } from "./runs.ts";
import type { Host } from "../host.ts";

/** What a run would send now. */
export interface Due {
  readonly messages: number;
  readonly segments: number;
  /** Credits that may have been charged for it before. */
  readonly exposure: number;
}

/** What is left to send of a run that has begun, with what `retry` adds. */
export async function whatIsDue(
  files: RunFiles,
  { ledger }: BegunRun,
  retry: Parameters<typeof isDue>[1],
): Promise<Due> {
  let messages = 0;
  let segments = 0;
  for await (const message of readPlan(files.plan, isDue(ledger, retry))) {
    messages++;
    segments += message.segments;
  }
  return { messages, segments, exposure: ledger.exposure };
}

/** Writes the plan and, once it is approved, the header; or holds a plan given again to the run that has begun. */
export async function planRun(
  files: RunFiles,
  drafts: AsyncIterable<DraftMessage>,
  binding: RunBinding,
  host: Host,
  approve: (due: Due) => Promise<void>,
): Promise<void> {
  const begun = await readRun(files);
  if (begun !== undefined) return approve(await dueAgain(files, begun, drafts, binding));
  try {
    const plan = await writePlan(files.plan, drafts);
    await approve({ ...plan, exposure: 0 });
    const started = new Date(host.now()).toISOString();
    beginRun(files, { version: 1, name: files.name, started, binding, plan });
  } catch (error) {
    // Nothing of it was sent, so nothing of it is kept.
    if (!existsSync(files.header))
      for (const path of [files.plan, files.journal]) rmSync(path, { force: true });
    throw error instanceof Error && "syscall" in error ? notRecordable(error) : error;
  }
}

/** What the command would send, with nothing written: all of a run that has not begun, else what is left of it. */
export async function rehearseRun(
  files: RunFiles,
  drafts: AsyncIterable<DraftMessage>,
  binding: RunBinding,
): Promise<Due> {
  const begun = await readRun(files);
  if (begun !== undefined) return dueAgain(files, begun, drafts, binding);
  return { ...(await summarizePlan(drafts)), exposure: 0 };
}

/** Holds a command given again to the run that it began, and gives what is left to send. */
async function dueAgain(
  files: RunFiles,
  begun: BegunRun,
  drafts: AsyncIterable<DraftMessage>,
  binding: RunBinding,
): Promise<Due> {
  refuseChanges(begun.header, binding, await summarizePlan(drafts));
  return whatIsDue(files, begun, []);
}
