import type { NumberSet } from "../message/number-set.ts";
import type { Guard } from "./guard.ts";

/** A list of numbers that all recipients must be in, and where that was said. */
export interface OnlyToList {
  /** A file, or numbers separated by commas. */
  readonly value: string;
  /** As in `--only-to staff.txt` and `SMS_ONLY_TO`. */
  readonly source: string;
  /** What to do about a recipient who is not in it. */
  readonly hint: string;
}

/** Whether a list is numbers separated by commas, and not a file. */
export function isNumbers(value: string): boolean {
  return /^[+\d][\d\s+().,-]*$/.test(value);
}

/** Refuses everybody whose number is not in the list. */
export function onlyTo({ source, hint }: OnlyToList, numbers: NumberSet): Guard {
  const count = numbers.size === 1 ? "the 1 number" : `the ${numbers.size.toLocaleString("en")} numbers`;
  return {
    rule: `only to ${count} of ${source}`,
    hold: (number) =>
      numbers.has(number)
        ? undefined
        : {
            guard: "onlyTo",
            effect: "refuse",
            reason: `+${number} is not in ${source}`,
            errorCode: "NOT_ONLY_TO",
            hint,
          },
  };
}

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
