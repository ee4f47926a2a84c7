import { numberKey } from "../message/number-set.ts";
import { SmsError } from "../errors.ts";
import { type Guard, type Hold, holdOf, holdOfAll } from "./guard.ts";

/** Why a message may not go now. */
export type Refusal =
  | { readonly kind: "held"; readonly hold: Hold }
  /** What a guard reads cannot be read any more. */
  | { readonly kind: "unreadable"; readonly error: SmsError };

/**
 * Returns a function that decides whether a message may go now: undefined if it may. Everything that sends asks it just before
 * the intent and just before each request. The guards look again at what they read, unless `looksAgain` is false: the messages
 * that are taken at once look once.
 */
export function watchGuards(
  guards: readonly Guard[],
  now: () => number,
): (to: string, looksAgain?: boolean) => Refusal | undefined {
  let current = guards;
  return (to, looksAgain = true) => {
    try {
      if (looksAgain) current = current.map((guard) => guard.renew?.() ?? guard);
    } catch (error) {
      if (error instanceof SmsError) return { kind: "unreadable", error };
      throw error;
    }
    const hold = holdOfAll(current, now()) ?? holdOf(current, numberKey(to));
    return hold && { kind: "held", hold };
  };
}
