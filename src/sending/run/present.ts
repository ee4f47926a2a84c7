import { type Guard, rulesOf } from "../../guards/guard.ts";
import { requireAllowed } from "../../guards/open.ts";
import type { Sample } from "../../record/plan.ts";
import { plural } from "../../words/count.ts";
import { standingOf } from "../destination.ts";
import type { AnySend } from "../opening.ts";
import { leftOutTexts, planText, planView, type ShownPlan } from "../views/plan-view.ts";
import { exposureOf, type Plan, rateOf } from "./plan.ts";
import { type DecidedRepeats, isAsked, leavesOut, type PlanRepeats, repeatedText } from "./repeated.ts";
import type { RowNotes } from "../views/note-texts.ts";

/** Shows the plan, and then throws if a guard does not allow it now. */
export async function presentPlan(plan: Plan, repeats: PlanRepeats, send: AnySend): Promise<void> {
  const { options, context } = send;
  const { host, presenter } = context;
  const { toSend } = repeats;
  const notes = planNotes(plan, repeats, options.dryRun);
  const texts = options.quiet && !options.json ? [...leftOutTexts(notes), ...(notes.commentedOut ?? [])] : [];
  if (texts.length > 0) presenter.always(`Left out: ${texts.join("; ")}`);
  if (plan.kind === "new" && toSend.messages === 0 && !options.dryRun) return;
  const content = await shownPlan(plan, repeats, notes, send);
  if (options.dryRun) presenter.show(planView(content));
  else presenter.tell((page) => planText(content, page));
  if (toSend.messages === 0) return;
  const { first, longest = first } = toSend.sample;
  const [firstOf = 1, longestOf = firstOf] = [first?.segments, longest?.segments];
  const cost = { segments: toSend.segments, exposure: exposureOf(plan), first: firstOf, longest: longestOf };
  await requireAllowed(send.guards, { ...cost, wait: options.wait }, host);
}

async function shownPlan(plan: Plan, repeats: PlanRepeats, notes: RowNotes, send: AnySend): Promise<ShownPlan> {
  const { options, context, destination, payingProfile } = send;
  const { host } = context;
  return {
    ...repeats.toSend,
    run: options.dryRun ? plan.givenName : plan.ownRun.name,
    by: plan.kind === "continued" ? plan.run.by : undefined,
    source: plan.source,
    ofAll: ofAllText(plan, repeats),
    destination,
    account: await standingOf(destination, host, payingProfile),
    rate: rateOf(send),
    fitToday: await fittingToday(send.guards, repeats.toSend.sample.order),
    rules: await rulesOf(send.guards),
    notes,
  };
}

function ofAllText(plan: Plan, repeats: PlanRepeats): string | undefined {
  if (plan.kind === "continued") return `${plural(plan.run.header.plan.messages, "message")} left`;
  return leavesOut(repeats) ? plural(plan.counts.messages, "message") : undefined;
}

export function planNotes(
  { notes, counts }: Pick<Plan, "notes" | "counts">,
  repeats: PlanRepeats | DecidedRepeats,
  isDryRun = false,
): RowNotes {
  const { indexes } = repeats;
  if (indexes.size === 0) return notes;
  const text = repeatedText(repeats, counts.messages);
  const question = isDryRun ? `${text}: a send asks about that, or needs --repeated skip or send` : text;
  const warnings = isAsked(repeats) ? [...notes.warnings, question] : notes.warnings;
  if (!leavesOut(repeats)) return { ...notes, warnings };
  const leftOut = { ...notes.leftOut, repeated: indexes.size };
  return { ...notes, warnings, repeated: isAsked(repeats) ? undefined : text, leftOut };
}

async function fittingToday(guards: readonly Guard[], order: Sample["order"]): Promise<number | undefined> {
  const counts = await Promise.all(guards.flatMap(({ fitting }) => fitting?.(order) ?? []));
  return counts.length === 0 ? undefined : Math.min(...counts);
}
