import { usageError } from "../../errors.ts";
import { isLive } from "../../service/credentials.ts";
import { prompterFor } from "../../terminal/prompt.ts";
import { costText } from "../../terminal/text.ts";
import { countText, plural } from "../../words/count.ts";
import { accountOf } from "../destination.ts";
import type { RealSend } from "../opening.ts";
import type { Plan } from "./plan.ts";
import { type PlanRepeats, repeatedError } from "./repeated.ts";

const mostTyped = 10;

/**
 * A person, `--yes` or `--max-credits` approves the cost; only a person or `--repeated` decides about repeats. Throws a usage
 * error if nobody does, or if the answer is no.
 */
export async function approve(plan: Plan, repeats: PlanRepeats, send: RealSend): Promise<void> {
  const { options, context } = send;
  const { toSend, isUndecided } = repeats;
  if (toSend.messages === 0 || (!isUndecided && (options.yes || isHarmless(plan, send)))) return;
  const prompter = options.yes ? undefined : prompterFor(context.host, options, "sent");
  if (prompter === undefined) {
    if (isUndecided) throw repeatedError(repeats, plan, send);
    if (plan.allGuards.every(({ mostCredits }) => mostCredits === undefined)) throw unconfirmed(plan, repeats, send);
  } else await prompter.confirm(await questionOf(repeats, send));
}

function isHarmless({ isTyped, run, counts }: Plan, { destination }: RealSend): boolean {
  return !isLive(destination.mode) || (isTyped && (run?.header.plan.messages ?? counts.messages) <= mostTyped);
}

function unconfirmed({ run }: Plan, { toSend }: PlanRepeats, { destination }: RealSend): Error {
  const where = destination.isSandbox ? "to a sandbox" : "to real phones";
  const limit = (run?.ledger.exposure ?? 0) + toSend.segments;
  return usageError(
    "NOT_CONFIRMED",
    `${plural(toSend.messages, "message")} ${where} must be confirmed, and sms cannot prompt here`,
    `add --yes, or --max-credits ${limit} to limit the cost`,
  );
}

async function questionOf({ toSend, isUndecided, areLeftOut }: PlanRepeats, send: RealSend): Promise<string> {
  const { destination, context, payingProfile } = send;
  if (isUndecided)
    return areLeftOut ? `Send to the other ${countText(toSend.messages)}?` : "Send to all of them again?";
  const { price } = await accountOf(destination, context.host, payingProfile);
  const target = destination.isSandbox ? "to a sandbox" : `for ${costText(toSend.segments, price)}`;
  return `Send ${plural(toSend.messages, "live message")} ${target}?`;
}
