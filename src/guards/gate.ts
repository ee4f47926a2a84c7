import { type Hold, holdOf } from "../recipients/hold.ts";
import type { Outcome } from "../message/outcome.ts";
import { numberKey } from "../message/number-set.ts";
import { SmsError } from "../errors.ts";
import { type Admission, type Costly, type Guard, holdOfAll } from "./guard.ts";

export type Refusal =
  | { readonly kind: "held"; readonly hold: Hold }
  | { readonly kind: "unreadable"; readonly error: SmsError };

/** Everything that sends asks just before each intent and each request. Credits are reserved before the intent. */
export interface Gate {
  /** False once the list of a guard has changed, or a day with reservations has ended. */
  readonly isCurrent: () => boolean;
  readonly look: () => Promise<void>;
  readonly refusalOf: (to: string) => Refusal | undefined;
  readonly reserve?: (messages: readonly Costly[]) => Promise<Admission<Refusal>>;
  /** If there is no outcome, the request never began, so the credits of the message are free again. */
  readonly settle: (index: number, outcome: Outcome | undefined) => void;
  readonly close: () => Promise<void>;
}

export function openGate(guards: readonly Guard[], wallClock: () => number): Gate {
  const reservations = guards.find((guard) => guard.reservations !== undefined)?.reservations?.();
  let current = guards;
  let error: SmsError | undefined;
  return {
    // If a guard cannot be read, the gate refuses everything from then on.
    isCurrent: () =>
      error !== undefined ||
      (current.every((guard) => guard.isCurrent?.() !== false) && reservations?.isCurrent() !== false),
    look: async () => {
      try {
        reservations?.renew();
        current = await Promise.all(current.map(async (guard) => guard.renew?.() ?? guard));
      } catch (cause) {
        error = smsError(cause);
      }
    },
    refusalOf: (to) => {
      if (error !== undefined) return { kind: "unreadable", error };
      const hold = holdOf(current, numberKey(to)) ?? holdOfAll(current, wallClock());
      return hold && { kind: "held", hold };
    },
    reserve:
      reservations &&
      (async (messages) => {
        try {
          const { granted, refusal: hold } = await reservations.reserve(messages);
          return { granted, refusal: hold && { kind: "held", hold } };
        } catch (cause) {
          return { granted: 0, refusal: { kind: "unreadable", error: smsError(cause) } };
        }
      }),
    settle: (index, outcome) => reservations?.settle(index, outcome),
    close: async () => reservations?.close(),
  };
}

function smsError(cause: unknown): SmsError {
  if (!(cause instanceof SmsError)) throw cause;
  return cause;
}
