import { baseUrlOf } from "../../service/address.ts";
import { type SmsError, usageError } from "../../errors.ts";
import type { MessageCounts } from "../../record/plan.ts";
import { repeatMs } from "../../record/repeats.ts";
import type { RepeatingRun, Repeats } from "../../record/runs.ts";
import { agoText } from "../../terminal/ago.ts";
import { actorText } from "../../terminal/text.ts";
import { countText } from "../../words/count.ts";
import type { AnySend, Send } from "../opening.ts";
import { resumeCommand } from "../views/run-summary.ts";
import { countMessages, type Plan } from "./plan.ts";
import { readToSend } from "./to-send.ts";
import { retypedCommand } from "./retyped-command.ts";

/** A run that goes on leaves repeats out; of a new run `--repeated` or a person decides. */
export interface PlanRepeats extends FoundRepeats {
  /** `asked-others`: may the others go without these? `asked-all`, as there are no others: may these go again? */
  readonly kind: "sent" | "left-out" | "asked-others" | "asked-all";
  readonly toSend: MessageCounts;
}

interface FoundRepeats extends Repeats {
  /** The runs were looked at then, by the clock of the record. */
  readonly now: number;
}

export type DecidedRepeats = FoundRepeats & { readonly kind: "sent" | "left-out" };

export async function repeatedIn(plan: Plan, send: AnySend): Promise<PlanRepeats> {
  const { presenter } = send.context;
  const repeats = await presenter.waitFor("Looking for these messages in other runs", () => repeatsOf(plan, send));
  if (repeats.runs.length === 0) return { ...repeats, kind: "sent", toSend: plan.counts };
  const { indexes } = repeats;
  const isNew = plan.kind === "new";
  const rest = isNew
    ? plan.ownRun.readPlan((index) => !indexes.has(index))
    : readToSend(plan.run, send, (index) => indexes.has(index) || plan.leftOutCauses.has(index));
  const toSend = await countMessages(rest);
  if (!isNew || send.options.repeated === "skip") return { ...repeats, kind: "left-out", toSend };
  if (toSend.messages > 0) return { ...repeats, kind: "asked-others", toSend };
  return { ...repeats, kind: "asked-all", toSend: plan.counts };
}

export function leavesOut({ kind }: Pick<PlanRepeats, "kind">): boolean {
  return kind === "left-out" || kind === "asked-others";
}

export function isAsked({ kind }: Pick<PlanRepeats, "kind">): boolean {
  return kind === "asked-others" || kind === "asked-all";
}

/** A run that goes on looks back to 12 hours before it began: if it looked back from now, a late resume would text people twice. */
async function repeatsOf(plan: Plan, { options, destination }: AnySend): Promise<FoundRepeats> {
  const { runs, ownRun, messageSet } = plan;
  const none = { indexes: new Map<number, string>(), runs: [], now: 0 };
  if (runs === undefined || destination.kind === "not-logged-in" || messageSet === undefined || messageSet.size === 0)
    return none;
  const header = plan.kind === "continued" ? plan.run.header : undefined;
  const since = header && Date.parse(header.started) - (header.isRepeat ? 0 : repeatMs);
  const now = await runs.now();
  const baseUrl = baseUrlOf(destination.address);
  const repeats = await runs.repeats({ messageSet, baseUrl, name: ownRun.name, now, since });
  // A run that is damaged stops each list, also one that goes to all of them again.
  return options.repeated === "send" ? none : { ...repeats, now };
}

export function repeatedText({ indexes, runs, now }: FoundRepeats, all: number): string {
  const [first, ...others] = runs;
  const more = others.length === 0 ? "" : `, and from ${others.map(({ name }) => name).join(", ")}`;
  const had = `${countText(indexes.size)} of ${countText(all)} had this text from run`;
  return first === undefined ? "" : `${had} ${first.name}${runText(first, now)}${more}`;
}

function runText({ by, isUnderWay, lastAt }: RepeatingRun, now: number): string {
  const who = by === undefined ? "" : `, begun by ${actorText(by)}`;
  return isUnderWay ? `${who}, which is sending now` : `${who}, ${agoText(lastAt ?? now, now)}`;
}

export function repeatedError(repeats: PlanRepeats, plan: Plan, send: Send): SmsError {
  const { runs, toSend, kind } = repeats;
  const { options, context } = send;
  const unfinished = runs.find(({ due, isUnderWay }) => due > 0 && !isUnderWay);
  const others = kind === "asked-others" ? toSend.messages : 0;
  const ways: string[] = [];
  if (unfinished !== undefined)
    ways.push(`\`${resumeCommand(unfinished.name, options.profile)}\` goes on with that run`);
  if (others > 0)
    ways.push(`${retypedCommand(options, context, { "--repeated": "skip" })} sends to the other ${countText(others)}`);
  ways.push(`${retypedCommand(options, context, { "--repeated": "send" })} sends to all of them again`);
  return usageError("RUN_REPEATED", repeatedText(repeats, plan.counts.messages), ways.join("; "));
}
