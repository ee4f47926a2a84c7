import type { NumberSet } from "../core/number-set.ts";
import type { Guard } from "./guard.ts";

/** Leaves out the numbers of the file of `--exclude`. */
export function excluded(numbers: NumberSet): Guard {
  return {
    rule: "without the numbers of --exclude",
    hold: (number) =>
      numbers.has(number)
        ? {
            guard: "excluded",
            effect: "leave-out",
            reason: `+${number} is in the --exclude file`,
            errorCode: "INVALID_RECIPIENTS",
            hint: "leave --exclude out to send to it",
          }
        : undefined,
  };
}
