import { numberKey } from "../../src/message/number-set.ts";
import type { Guard } from "../../src/guards/guard.ts";

/** The guard sees the numbers of the set when it is made or renewed. */
export function optedOutOf(numbers: ReadonlySet<string>): Guard {
  const now = new Set([...numbers].map(numberKey));
  return {
    hold: (number) =>
      now.has(number)
        ? { guard: "optedOut", effect: "leave-out", reason: "", errorCode: "OPTED_OUT", hint: "" }
        : undefined,
    isCurrent: () => now.size === numbers.size && [...numbers].every((number) => now.has(numberKey(number))),
    renew: async () => optedOutOf(numbers),
  };
}
