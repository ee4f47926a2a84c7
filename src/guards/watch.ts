import { numberKey } from "../message/number-set.ts";
import { SmsError } from "../errors.ts";
import { type Guard, type Hold, holdOf, holdOfAll } from "./guard.ts";

/** Why a message may not go now. */
export type Refusal =
  | { readonly kind: "held"; readonly hold: Hold }
  /** What a guard reads cannot be read any more. */
  | { readonly kind: "unreadable"; readonly error: SmsError };

/**
 * Decides whether a message may go now. Everything that sends asks just before the intent and just before each request, and
 * has the guards look again whenever they are not current.
 */
export interface Watch {
  /** Whether nothing has changed of what the guards read. */
  readonly isCurrent: () => boolean;
  /** Has the guards look again at what they read. */
  readonly look: () => Promise<void>;
  /** Returns why a message to a number may not go now; undefined if it may. */
  readonly refusalOf: (to: string) => Refusal | undefined;
}

/** Watches what guards read. `now` is in milliseconds since 1970. */
export function watchGuards(guards: readonly Guard[], now: () => number): Watch {
  let current = guards;
  let error: SmsError | undefined;
  return {
    // What cannot be read refuses everything, until it is looked at again.
    isCurrent: () => error !== undefined || current.every((guard) => guard.isCurrent?.() !== false),
    look: async () => {
      try {
        current = await Promise.all(current.map(async (guard) => guard.renew?.() ?? guard));
        error = undefined;
      } catch (cause) {
        if (!(cause instanceof SmsError)) throw cause;
        error = cause;
      }
    },
    refusalOf: (to) => {
      if (error !== undefined) return { kind: "unreadable", error };
      const hold = holdOfAll(current, now()) ?? holdOf(current, numberKey(to));
      return hold && { kind: "held", hold };
    },
  };
}
