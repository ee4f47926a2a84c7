import { baseUrlOf } from "../../service/address.ts";
import { type SmsError, usageError } from "../../errors.ts";
import type { MessageCounts } from "../../record/plan.ts";
import { repeatMs } from "../../record/repeats.ts";
import type { RepeatingRun, Repeats } from "../../record/runs.ts";
import { actorText, agoText } from "../../terminal/text.ts";
import { countText } from "../../words/count.ts";
import type { Send } from "../opening.ts";
import { resumeCommand } from "../views/run-summary.ts";
import { countMessages, type Plan, readRest } from "./plan.ts";
import { retypedText } from "./retyped.ts";

export interface PlanRepeats extends FoundRepeats {
  /** All messages are sent only if nothing else is left and somebody agrees. */
  readonly toSend: MessageCounts;
  readonly areLeftOut: boolean;
  /** A run that goes on leaves repeats out, and `--repeated` decides about a new run. */
  readonly isUndecided: boolean;
}

interface FoundRepeats extends Repeats {
  /** The runs were looked at then, by the clock of the record. */
  readonly now: number;
}

export async function repeatedIn(plan: Plan, send: Send): Promise<PlanRepeats> {
  const { presenter } = send.context;
  const repeats = await presenter.waitFor("Looking for these messages in other runs", () => repeatsOf(plan, send));
  if (repeats.runs.length === 0) return { ...repeats, toSend: plan.counts, areLeftOut: false, isUndecided: false };
  const { run, open } = plan;
  const { indexes } = repeats;
  const rest = run === undefined ? open.readPlan((index) => !indexes.has(index)) : readRest(run, send, indexes);
  const others = await countMessages(rest);
  const isUndecided = run === undefined && send.options.repeated !== "skip";
  const areLeftOut = !isUndecided || others.messages > 0;
  return { ...repeats, toSend: areLeftOut ? others : plan.counts, areLeftOut, isUndecided };
}

/** A run that goes on looks back to 12 hours before it began: if it looked back from now, a late resume would text people twice. */
async function repeatsOf({ runs, open, run, hashes }: Plan, { destination }: Send): Promise<FoundRepeats> {
  if (runs === undefined || destination === undefined || hashes === undefined || hashes.size === 0)
    return { indexes: new Set(), runs: [], now: 0 };
  const since = run && Date.parse(run.header.started) - (run.header.isRepeat ? 0 : repeatMs);
  const now = await runs.now();
  const baseUrl = baseUrlOf(destination.address);
  return { ...(await runs.repeats({ messages: hashes, baseUrl, name: open.name, now, since })), now };
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
  const { runs, toSend, areLeftOut } = repeats;
  const { options, context } = send;
  const unfinished = runs.find(({ due, isUnderWay }) => due > 0 && !isUnderWay);
  const others = areLeftOut ? toSend.messages : 0;
  const ways: string[] = [];
  if (unfinished !== undefined)
    ways.push(`\`${resumeCommand(unfinished.name, options.profile)}\` goes on with that run`);
  if (others > 0)
    ways.push(`${retypedText(options, context, { "--repeated": "skip" })} sends to the other ${countText(others)}`);
  ways.push(`${retypedText(options, context, { "--repeated": "send" })} sends to all of them again`);
  return usageError("RUN_REPEATED", repeatedText(repeats, plan.counts.messages), ways.join("; "));
}
