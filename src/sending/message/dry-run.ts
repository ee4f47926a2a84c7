import type { EndingKind } from "../../errors.ts";
import { rulesOf } from "../../guards/guard.ts";
import { countSegments } from "../../message/segments.ts";
import { standingOf } from "../destination.ts";
import type { DryRun } from "../opening.ts";
import { type CountedMessage, requireSendable } from "./allowed.ts";
import { addToSample, newSample } from "../../record/plan.ts";
import { planView } from "../views/plan-view.ts";

/** Throws if the message would be refused now. */
export async function showPlan(message: CountedMessage, send: DryRun): Promise<EndingKind> {
  const { payingProfile, guards, destination, once, context } = send;
  const { host, presenter } = context;
  const use = await once?.find(message);
  const rules = [...(await rulesOf(guards)), ...(once === undefined ? [] : [once.rule(use)])];
  const sample = newSample();
  addToSample(sample, message);
  const plan = {
    single: countSegments(message.text),
    messages: 1,
    segments: message.segments,
    sample,
    destination,
    account: await standingOf(destination, host, payingProfile),
    rate: Infinity,
    fitToday: undefined,
    rules,
    notes: { leftOut: {}, firstLeftOut: [], warnings: [] },
  };
  presenter.show(planView(plan));
  if (use === undefined) await requireSendable(message, send);
  return "accepted";
}
