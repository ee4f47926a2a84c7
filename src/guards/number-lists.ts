import { plural } from "../words/count.ts";
import type { NumberSet } from "../message/number-set.ts";
import type { OptedOut } from "../record/opt-outs.ts";
import type { Guard } from "./guard.ts";

export function isNumbers(value: string): boolean {
  return /^[+\d][\d\s+().,-]*$/.test(value);
}

/** Refuses every number that is not in a list. `source` is where the list was given. */
export function onlyTo(source: string, hint: string, numbers: NumberSet): Guard {
  return {
    rule: `only to the ${plural(numbers.size, "number")} of ${source}`,
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

/** Leaves out the numbers of a list. `rule` says so for the plan, and `place` where a number of it is. */
export function excluded(numbers: NumberSet, rule: string, place: string): Guard {
  return {
    rule,
    hold: (number) =>
      numbers.has(number)
        ? {
            guard: "excluded",
            effect: "leave-out",
            reason: `+${number} is ${place}`,
            errorCode: "INVALID_RECIPIENTS",
            hint: "leave --exclude out to send to it",
          }
        : undefined,
  };
}

export function withoutOptOuts(numbers: OptedOut): Guard {
  const guard: Guard = {
    ...(numbers.size > 0 && { rule: `without the ${plural(numbers.size, "number")} of sms optout` }),
    hold: (number) =>
      numbers.has(number)
        ? {
            guard: "optedOut",
            effect: "leave-out",
            reason: `+${number} has opted out`,
            errorCode: "OPTED_OUT",
            hint: `\`sms optout list\` says when and why; \`sms optout remove +${number}\` allows it again`,
          }
        : undefined,
    isCurrent: numbers.isCurrent,
    renew: async () => {
      const now = await numbers.renew();
      return now === numbers ? guard : withoutOptOuts(now);
    },
  };
  return guard;
}
