import type { FirstCharge } from "../runs/first-charge.ts";
import { countText, kes, plural } from "./text.ts";

/** Returns what the first messages of a run were charged, beside the estimate, as in `3 sent, 3 credits as estimated`. */
export function firstChargeText({ messages, accepted, estimate, charged, differences }: FirstCharge): string {
  const compare = (what: keyof typeof charged, amountText: (amount: number) => string): string => {
    const [is, expected] = [charged[what], estimate[what]];
    if (is === undefined) return expected === undefined ? "" : `, ${amountText(expected)} expected and not reported`;
    if (expected === undefined) return `, ${amountText(is)} without an estimate`;
    return `, ${amountText(is)} ${differences.includes(what) ? `instead of ${amountText(expected)}` : "as estimated"}`;
  };
  const sent = accepted === messages ? countText(accepted) : `${countText(accepted)} of ${countText(messages)}`;
  return [
    `${sent} sent`,
    compare("credits", (credits) => plural(credits, "credit")),
    compare("segments", (segments) => plural(segments, "segment")),
    compare("kes", kes),
  ].join("");
}

/** Returns the same for the JSON of a summary. */
export function firstChargeJson({ messages, accepted, estimate, charged, isAsEstimated }: FirstCharge) {
  const cost = ({ segments, credits, kes: totalCostKes }: typeof charged) => ({
    segments,
    totalCredits: credits,
    totalCostKes,
  });
  return { messages, accepted, estimate: cost(estimate), charged: cost(charged), asEstimated: isAsEstimated };
}
