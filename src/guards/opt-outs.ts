import { plural } from "../words/count.ts";
import { leftOutSentence } from "../record/left-out.ts";
import type { OptedOut } from "../record/opt-outs.ts";
import type { Guard } from "./guard.ts";

const leftOutCause = { reason: "optedOut" } as const;

export function withoutOptOuts(numbers: OptedOut): Guard {
  const guard: Guard = {
    rule: numbers.size > 0 ? `without the ${plural(numbers.size, "number")} of sms optout` : undefined,
    hold: (number) =>
      numbers.has(number)
        ? {
            effect: "leave-out",
            leftOutCause,
            sentence: leftOutSentence({ ...leftOutCause, to: `+${number}` }),
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
