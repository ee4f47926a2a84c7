/** Removes from an amount in credits or KES the rounding errors of a binary sum of decimals. */
export function rounded(amount: number): number {
  return Math.round(amount * 10_000) / 10_000;
}
