import type { Message } from "../../message/fields.ts";
import type { SegmentCount } from "../../message/segments.ts";
import { messageJson, originJson, originLines, planText, senderText } from "../runs/plan-view.ts";
import type { PlanOrigin } from "../shared/destination.ts";
import type { View } from "../../output/presenter.ts";
import { countText, estimateText, type KnownPrice, type Payment, plural } from "../../output/text.ts";

/** One message as sms counts it; the service's own count is the bill. */
interface SendPlan extends Message, Payment {
  /** Undefined in a sandbox. */
  readonly origin: PlanOrigin | undefined;
  readonly count: SegmentCount;
  /** What the guards do, in words. */
  readonly guards: readonly string[];
}

export function sendPlanView(plan: SendPlan, price: KnownPrice | undefined): View {
  const { to, text, sender, mode, origin, count, guards } = plan;
  const { encoding, units, segments } = count;
  return {
    json: ({ redacted }) => ({
      dryRun: true,
      ...messageJson(plan, { redacted }),
      encoding,
      units,
      segments,
      totalCredits: segments,
      kesPerCredit: price?.kesPerCredit ?? null,
      mode,
      guards: guards.map(redacted),
      ...originJson(origin),
    }),
    quiet: () => [],
    text: (page) => {
      const unit = encoding === "GSM-7" ? "septet" : "unit";
      const lines = planText(page, [
        ["To", to],
        ["From", senderText(sender, page)],
        ["Text", page.redacted(text)],
        ["Encoding", `${encoding}, ${plural(units, unit)}`],
        ...guards.map((rule) => ["Guard", page.foreign(rule)] as const),
        ["Segments", countText(segments)],
        ["Estimate", estimateText(segments, price)],
        ...originLines(origin, plan, page),
      ]);
      return `Dry run: nothing was sent.\n${lines}`;
    },
  };
}
