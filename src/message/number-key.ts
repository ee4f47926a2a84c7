/** Returns a number as a key: E.164 fits a double, which takes a quarter of the memory of its text. */
export function numberKey(e164: string): number {
  return Number(e164);
}
