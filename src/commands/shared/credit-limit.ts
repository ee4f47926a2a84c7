import { SmsError } from "../../errors.ts";
import { countText, plural } from "../../output/text.ts";

/** Throws an error of kind `limit` if the estimate, and what a run may have cost `before`, in credits, is over `--max-credits`. */
export function requireWithin(maxCredits: number | undefined, estimate: number, before = 0): void {
  if (maxCredits === undefined || before + estimate <= maxCredits) return;
  const [cost, hint] =
    before === 0
      ? [
          `the estimate is ${plural(estimate, "credit")},`,
          "raise the limit, or shorten the text: `sms preview` shows what raises its cost",
        ]
      : [`${plural(before, "credit")} so far and ${countText(estimate)} for the rest are`, "raise the limit"];
  throw new SmsError("limit", `${cost} over --max-credits ${maxCredits}`, {
    errorCode: "OVER_LIMIT",
    hint,
    outcome: "unsent",
  });
}
