import { numberKey, NumberSet } from "../../src/message/number-set.ts";

/** Returns a set of these numbers. */
export function setOf(...numbers: readonly string[]): NumberSet {
  const set = new NumberSet();
  for (const number of numbers) set.add(numberKey(number));
  return set;
}
