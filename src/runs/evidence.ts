import type { Receipt } from "../core/outcome.ts";

/** What the balances on the receipts of a run show about charges without a receipt. */
export type Evidence =
  /** There is no receipt, or one without credits or balance: no conclusion. */
  | { readonly kind: "none" }
  /** The balance rose in between: no conclusion. */
  | { readonly kind: "topped-up" }
  /** Between the first charge and the last the balance fell by `surplus` credits more than the receipts say. */
  | { readonly kind: "measured"; readonly surplus: number };

/** The account by a receipt. Credits. */
export type Charge = Pick<Receipt, "totalCredits" | "newBalance">;

/**
 * Weighs the receipts of a run in the order in which their answers came, of which up to `inFlight` may have overtaken
 * each other. It reports and never decides: a surplus may be a message left uncertain, or another program on the
 * account; and what was charged before the first receipt or after the last shows in no balance, so that no surplus does
 * not mean that nothing was charged.
 *
 * Each receipt takes the stretch of the balance from `newBalance` to `newBalance + totalCredits`. Laid out from the top,
 * as the service charged them, they touch; a gap is a charge without a receipt. Stretches that overlap, or a higher one
 * that came later than answers can overtake, mean that credits came in.
 */
export function weighEvidence(charges: readonly Charge[], inFlight: number): Evidence {
  if (charges.length === 0) return { kind: "none" };
  const stretches: { readonly top: number; readonly bottom: number; readonly position: number }[] = [];
  for (const [position, { totalCredits, newBalance }] of charges.entries()) {
    if (totalCredits === undefined || newBalance === undefined) return { kind: "none" };
    stretches.push({ top: newBalance + totalCredits, bottom: newBalance, position });
  }
  stretches.sort((a, b) => b.bottom - a.bottom || b.top - a.top);
  let surplus = 0;
  let above: (typeof stretches)[number] | undefined;
  for (const stretch of stretches) {
    if (above !== undefined) {
      const gap = above.bottom - stretch.top;
      if (gap < 0 || above.position - stretch.position >= inFlight) return { kind: "topped-up" };
      surplus += gap;
    }
    above = stretch;
  }
  return { kind: "measured", surplus };
}
