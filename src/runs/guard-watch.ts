import type { Failure } from "../core/outcome.ts";
import { numberKey } from "../core/number-key.ts";
import { SmsError } from "../errors.ts";
import { type Guard, type Hold, holdOf, holdOfAll, renewed } from "../guards/guard.ts";
import type { PlannedMessage } from "./plan.ts";

/** What guards say of a message whose turn it is: undefined if it may be sent. */
type Verdict =
  | { readonly kind: "held"; readonly hold: Hold }
  | { readonly kind: "stop"; readonly failure: Failure }
  | undefined;

/**
 * Returns a function that asks the guards just before a message is sent. `isFirst` is for the first of several messages that
 * are taken at once: then the guards look again at what they read. If they cannot, the run stops.
 */
export function watchGuards(
  guards: readonly Guard[],
  now: () => number,
): (message: PlannedMessage, isFirst: boolean) => Verdict {
  let current = guards;
  return ({ to }, isFirst) => {
    try {
      if (isFirst) current = renewed(current);
    } catch (error) {
      if (error instanceof SmsError) return stop(error.errorCode, error.message, error.hint);
      throw error;
    }
    const hold = holdOfAll(current, now()) ?? holdOf(current, numberKey(to));
    if (hold === undefined) return undefined;
    return hold.effect === "leave-out" ? { kind: "held", hold } : stop(hold.errorCode, hold.reason, hold.hint);
  };
}

function stop(errorCode: string, reason: string, hint = ""): Verdict {
  const error = hint === "" ? reason : `${reason}; ${hint}`;
  return { kind: "stop", failure: { kind: "limit", error, errorCode } };
}
