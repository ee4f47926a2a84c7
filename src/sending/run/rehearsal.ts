import type { SendOptions } from "../options.ts";
import { holdOf, type RowGuard } from "../../recipients/hold.ts";
import { type Country, readNumber } from "../../message/number.ts";
import { toGsm7 } from "../../message/look-alikes.ts";
import { numberKey } from "../../message/number-set.ts";
import { countSegments } from "../../message/segments.ts";
import { requireText } from "../../message/text.ts";
import { usageError } from "../../errors.ts";
import { countText, plural } from "../../words/count.ts";
import { refuseHold } from "../../recipients/message.ts";
import { LeftOutSample } from "../../record/left-out.ts";
import type { DraftMessage, PlanRow } from "../../record/plan.ts";

const mostRehearsed = 3;

/** Throws a usage error if nothing may be sent to that number. */
export function rehearsalOf(
  { redirectTo, run, gsm7 }: Pick<SendOptions, "redirectTo" | "run" | "gsm7">,
  country: Country | undefined,
  guards: readonly RowGuard[],
) {
  if (redirectTo === undefined) return undefined;
  const number = readNumber(redirectTo, country);
  if (number.kind === "refused") {
    const text = `--redirect-to ${JSON.stringify(redirectTo)} cannot be read: ${number.reason}`;
    throw usageError("INVALID_NUMBER", text, number.hint);
  }
  const { e164: to, assigned } = number;
  const requireFree = (all: readonly RowGuard[]) => refuseHold(holdOf(all, numberKey(to)));
  requireFree(guards);
  const count = { sent: 0, all: 0, leftOut: new LeftOutSample() };
  return {
    name: run === undefined ? "rehearsal" : `${run}-rehearsal`,
    /** This guard lets those recipients through that the run would refuse. */
    guard: {
      hold: (key: number) => guards.flatMap(({ hold }) => hold?.(key) ?? []).find(({ effect }) => effect !== "refuse"),
    },
    requireFree,
    /** The plan of a rehearsal says whom the run leaves out, and the rehearsal keeps none of them. */
    leftOut: count.leftOut,
    /** Throws a usage error for a text that becomes too long. */
    redirect: async (messages: AsyncIterable<PlanRow>) => {
      const drafts: DraftMessage[] = [];
      for await (const draft of redirected(messages, to, gsm7 === true, count)) drafts.push(draft);
      return drafts;
    },
    text: () => {
      const warning = assigned ? "" : " (in no range of numbers known to be in use)";
      return `--redirect-to: ${countText(count.sent)} of ${plural(count.all, "message")} to ${to}${warning} instead`;
    },
  };
}

/** Reads the rest as well, so that all are counted. */
export async function* redirected(
  messages: AsyncIterable<PlanRow>,
  to: string,
  gsm7: boolean,
  count: { sent: number; all: number; readonly leftOut: LeftOutSample },
): AsyncGenerator<DraftMessage, void> {
  for await (const message of messages) {
    if (message.kind === "left-out") count.leftOut.add(message);
    if (message.kind === "left-out") continue;
    count.all++;
    if (count.sent === mostRehearsed) continue;
    count.sent++;
    const marked = `[for …${message.to.slice(-3)}] ${message.text}`;
    const text = requireText(gsm7 ? toGsm7(marked).text : marked);
    yield { ...message, to, text, segments: countSegments(text).segments };
  }
}
