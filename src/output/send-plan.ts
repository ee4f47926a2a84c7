import type { Mode } from "../core/credentials.ts";
import type { SegmentCount } from "../core/segments.ts";
import type { Sender } from "../core/sender.ts";
import { alignedLines } from "./aligned.ts";
import type { View } from "./presenter.ts";
import { countText, estimateText, type KnownPrice, modeSentence, plural, serviceLine } from "./text.ts";

/** One message as sms counts it; the service's own count is the bill. */
interface SendPlan {
  readonly to: string;
  readonly sender?: Sender;
  readonly mode: Mode;
  /** The base URL if it is not that of the profile. */
  readonly service: string | undefined;
  readonly count: SegmentCount;
}

/** What a dry run of one message would send. */
export function sendPlanView({ to, sender, mode, service, count }: SendPlan, price: KnownPrice | undefined): View {
  const { encoding, units, segments } = count;
  return {
    json: () => ({
      dryRun: true,
      to,
      ...(sender?.kind === "name" && { senderIdName: sender.name }),
      ...(sender?.kind === "id" && { senderId: sender.id }),
      encoding,
      units,
      segments,
      totalCredits: segments,
      kesPerCredit: price?.kesPerCredit ?? null,
      mode,
    }),
    quiet: () => [],
    text: ({ paint, foreign }) => {
      const from = sender?.kind === "name" ? sender.name : sender?.id;
      const lines = [
        ["To", to],
        ["From", from === undefined ? "the account's default sender" : foreign(from)],
        ["Text", `${plural(units, encoding === "GSM-7" ? "septet" : "unit")} of ${encoding}`],
        ["Segments", countText(segments)],
        ["Estimate", estimateText(segments, price)],
        ["Mode", modeSentence[mode]],
        ...serviceLine(service),
      ] as const;
      return `Dry run: nothing was sent.\n${alignedLines(paint, lines)}`;
    },
  };
}
