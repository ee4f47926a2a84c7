import { interruption } from "../../errors.ts";
import { addedUp, type BegunRun } from "../../record/begun-run.ts";
import { bindingOf } from "../../record/header.ts";
import { recordOne, unknownRun } from "../../record/runs.ts";
import { runDestination } from "../destination.ts";
import type { RealSend } from "../opening.ts";
import type { Plan } from "./plan.ts";
import { type PlanRepeats, repeatedError, repeatedIn } from "./repeated.ts";

export interface Run extends BegunRun {
  readonly size: number;
  readonly repeats: PlanRepeats;
}

/**
 * A run that goes on keeps its header. Undefined for a new run with nobody to send to. Throws `RUN_REPEATED` if another run has
 * sent some of it since.
 */
export async function beginRun(plan: Plan, approvedRepeats: PlanRepeats, send: RealSend): Promise<Run | undefined> {
  if (plan.runs === undefined || plan.hashes === undefined) return beginNow(plan, approvedRepeats, send);
  return plan.runs.alone(async () => {
    const repeats = await repeatedIn(plan, send);
    const leavesOut = approvedRepeats.areLeftOut || !repeats.isUndecided;
    if (leavesOut) return beginNow(plan, { ...repeats, areLeftOut: true }, send);
    // Somebody agreed to send to all of them again.
    if (addsNothing(repeats, approvedRepeats)) return beginNow(plan, approvedRepeats, send);
    throw repeatedError(repeats, plan, send);
  });
}

function addsNothing({ indexes, runs }: PlanRepeats, approved: PlanRepeats): boolean {
  const names = new Set(approved.runs.map(({ name }) => name));
  return [...indexes].every((index) => approved.indexes.has(index)) && runs.every(({ name }) => names.has(name));
}

async function beginNow(
  { runs, open, run, draft, counts, terms, source }: Plan,
  repeats: PlanRepeats,
  { options, destination, payingProfile, context }: RealSend,
): Promise<Run | undefined> {
  const { host } = context;
  const { stop } = host.interruption();
  if (stop.aborted) throw interruption(stop, "unsent", "interrupted before anything was sent");
  const leftOut = repeats.areLeftOut ? [...repeats.indexes] : [];
  const size = counts.messages - leftOut.length;
  if (run !== undefined) {
    const entry = { kind: "repeated", indexes: leftOut } as const;
    if (leftOut.length > 0 && run.ledger.apply(entry)) await recordOne(open, entry, host.now());
    return { ...run, size, repeats };
  }
  if (draft === undefined || size === 0) return undefined;
  const { messages, segments, digests } = draft;
  const binding = runDestination(destination, payingProfile);
  await open.begin(
    {
      ...terms,
      version: 1,
      name: open.name,
      started: new Date((await runs?.now()) ?? host.now()).toISOString(),
      binding: bindingOf(binding),
      payer: binding.payer,
      plan: { messages, segments, digests },
      source,
      isRepeat: options.repeated === "send" || (repeats.indexes.size > 0 && !repeats.areLeftOut) ? true : undefined,
    },
    leftOut,
  );
  const record = await open.read();
  if (record === undefined) throw unknownRun(open.name);
  return { ...(await addedUp(record)), size, repeats };
}
