import { interruptionError } from "../../errors.ts";
import { withLedger, type RunWithLedger } from "../../record/run-with-ledger.ts";
import { bindingOf } from "../../record/header.ts";
import { recordOne, type Repeats, unknownRun } from "../../record/runs.ts";
import { runDestination } from "../destination.ts";
import type { Send } from "../opening.ts";
import { leftOutEntries, repeatedBy } from "./left-out-entries.ts";
import type { Plan } from "./plan.ts";
import { type DecidedRepeats, isAsked, repeatedError, repeatedIn } from "./repeated.ts";

export interface BegunRun extends RunWithLedger {
  readonly kind: "begun";
  readonly countToSend: number;
  readonly repeats: DecidedRepeats;
}

/** A new run has nobody left to send to. */
interface NobodyLeft {
  readonly kind: "nobody";
  readonly repeats: DecidedRepeats;
}

/** A run that goes on keeps its header. Throws `RUN_REPEATED` if another run has sent some of it since `before`. */
export async function beginRun(plan: Plan, before: DecidedRepeats, send: Send): Promise<BegunRun | NobodyLeft> {
  if (plan.runs === undefined || plan.messageSet === undefined) return beginNow(plan, before, send);
  return plan.runs.alone(async () => {
    const repeats = await repeatedIn(plan, send);
    // Unless somebody agreed to send to all of them again, whoever is found now is left out; mostly that is nobody.
    if (before.kind === "left-out" || !isAsked(repeats)) return beginNow(plan, { ...repeats, kind: "left-out" }, send);
    if (addsNothing(repeats, before)) return beginNow(plan, before, send);
    throw repeatedError(repeats, plan, send);
  });
}

function addsNothing({ indexes, runs }: Repeats, before: Repeats): boolean {
  const names = new Set(before.runs.map(({ name }) => name));
  return [...indexes.keys()].every((index) => before.indexes.has(index)) && runs.every(({ name }) => names.has(name));
}

async function beginNow(
  plan: Plan,
  repeats: DecidedRepeats,
  { options, destination, payingProfile, context }: Send,
): Promise<BegunRun | NobodyLeft> {
  const { host } = context;
  const { stop } = host.interruption();
  if (stop.aborted) throw interruptionError(stop, "unsent", "interrupted before anything was sent");
  const { ownRun, source } = plan;
  const causes = new Map(plan.kind === "new" ? [] : plan.leftOutCauses);
  if (repeats.kind === "left-out") for (const [index, name] of repeats.indexes) causes.set(index, repeatedBy(name));
  const countToSend = plan.counts.messages - (repeats.kind === "left-out" ? repeats.indexes.size : 0);
  if (plan.kind === "continued") {
    const { run } = plan;
    for (const entry of leftOutEntries(causes)) {
      if (!run.ledger.apply(entry)) throw new Error("a message that was accepted cannot be left out");
      await recordOne(ownRun, entry, host.now());
    }
    return { ...run, kind: "begun", countToSend, repeats };
  }
  if (countToSend === 0) return { kind: "nobody", repeats };
  const binding = runDestination(destination, payingProfile);
  await ownRun.begin(
    {
      ...plan.header,
      version: 1,
      name: ownRun.name,
      started: new Date((await plan.runs?.now()) ?? host.now()).toISOString(),
      binding: bindingOf(binding),
      payer: binding.payer,
      plan: plan.summary,
      source,
      isRepeat: options.repeated === "send" || (repeats.indexes.size > 0 && repeats.kind === "sent") ? true : undefined,
    },
    leftOutEntries(causes),
  );
  const record = await ownRun.read();
  if (record === undefined) throw unknownRun(ownRun.name);
  return { ...(await withLedger(record)), kind: "begun", countToSend, repeats };
}
