import { usageError } from "../../errors.ts";
import { isLive } from "../../service/credentials.ts";
import { prompterFor } from "../../terminal/prompt.ts";
import { costText } from "../../terminal/text.ts";
import { countText, plural } from "../../words/count.ts";
import { standingOf } from "../destination.ts";
import type { Send } from "../opening.ts";
import { exposureOf, type Plan } from "./plan.ts";
import { type DecidedRepeats, isAsked, leavesOut, type PlanRepeats, repeatedError } from "./repeated.ts";

const mostTyped = 10;

/**
 * A person, `--yes` or `--max-credits` approves the cost; only a person or `--repeated` decides about repeats. Throws a usage
 * error if nobody does, or if the answer is no.
 */
export async function approve(plan: Plan, repeats: PlanRepeats, send: Send): Promise<DecidedRepeats> {
  const { options, context } = send;
  const { toSend } = repeats;
  const decided = { ...repeats, kind: leavesOut(repeats) ? "left-out" : "sent" } as const;
  if (toSend.messages === 0 || (!isAsked(repeats) && options.yes)) return decided;
  const prompter = options.yes ? undefined : prompterFor(context.host, options, "sent");
  if (!isAsked(repeats) && isHarmless(plan, send)) {
    const { unassignedText } = plan.notes;
    const isDoubtful = unassignedText !== undefined && isLive(send.destination.mode);
    if (isDoubtful) await prompter?.confirm(`${unassignedText} may not exist. Send anyway?`);
    return decided;
  }
  if (prompter === undefined) {
    if (isAsked(repeats)) throw repeatedError(repeats, plan, send);
    if (options.maxCredits === undefined) throw unconfirmed(plan, repeats, send);
  } else await prompter.confirm(await questionOf(repeats, send));
  return decided;
}

function isHarmless(plan: Plan, { destination }: Send): boolean {
  const { messages } = plan.kind === "new" ? plan.counts : plan.run.header.plan;
  return !isLive(destination.mode) || (plan.isTyped && messages <= mostTyped);
}

function unconfirmed(plan: Plan, { toSend }: PlanRepeats, { destination }: Send): Error {
  const where = destination.isSandbox ? "to a sandbox" : "to real phones";
  const limit = exposureOf(plan) + toSend.segments;
  return usageError(
    "NOT_CONFIRMED",
    `${plural(toSend.messages, "message")} ${where} must be confirmed, and sms cannot prompt here`,
    `add --yes, or --max-credits ${limit} to limit the cost`,
  );
}

async function questionOf({ toSend, kind }: PlanRepeats, send: Send): Promise<string> {
  const { destination, context, payingProfile } = send;
  if (kind === "asked-others") return `Send to the other ${countText(toSend.messages)}?`;
  if (kind === "asked-all") return "Send to all of them again?";
  const { price } = await standingOf(destination, context.host, payingProfile);
  const target = destination.isSandbox ? "to a sandbox" : `for ${costText(toSend.segments, price)}`;
  return `Send ${plural(toSend.messages, "live message")} ${target}?`;
}
