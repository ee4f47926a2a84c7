import { rmSync } from "node:fs";
import { refuseChanges, type RunBinding } from "../delivery/run-header.ts";
import { type DraftMessage, type PlanSummary, writePlan } from "../delivery/run-plan.ts";
import { beginRun, readRun, type RunFiles } from "../delivery/runs.ts";
import type { Host } from "../host.ts";

/** Writes the plan and, once it is approved, the header; or holds a plan given again to the run that has begun. */
export async function planRun(
  files: RunFiles,
  drafts: AsyncIterable<DraftMessage>,
  binding: RunBinding,
  host: Host,
  approve: (plan: PlanSummary) => Promise<void>,
): Promise<void> {
  const begun = await readRun(files);
  if (begun !== undefined) {
    const again = `${files.plan}.again`;
    try {
      refuseChanges(begun.header, binding, await writePlan(again, drafts));
    } finally {
      rmSync(again, { force: true });
    }
    return;
  }
  try {
    const plan = await writePlan(files.plan, drafts);
    await approve(plan);
    const started = new Date(host.now()).toISOString();
    beginRun(files, { version: 1, name: files.name, started, binding, plan });
  } catch (error) {
    // Nothing of it was sent, so nothing of it is kept.
    rmSync(files.plan, { force: true });
    throw error;
  }
}
