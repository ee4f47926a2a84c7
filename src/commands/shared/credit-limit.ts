import { SmsError } from "../../errors.ts";
import { plural } from "../../output/text.ts";

/** Throws an error of kind `limit` if the estimate, in credits, is over `--max-credits`. */
export function requireWithin(maxCredits: number | undefined, estimate: number): void {
  if (maxCredits === undefined || estimate <= maxCredits) return;
  throw new SmsError("limit", `the estimate is ${plural(estimate, "credit")}, over --max-credits ${maxCredits}`, {
    errorCode: "OVER_LIMIT",
    hint: "raise the limit, or shorten the text: `sms preview` shows what raises its cost",
    outcome: "unsent",
  });
}
