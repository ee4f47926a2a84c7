import { holdOf } from "../recipients/hold.ts";
import { numberKey } from "../message/number-set.ts";
import { SmsError } from "../errors.ts";
import { type Guard, holdAll, type Barrier, type Reservations } from "./guard.ts";

/** Everything that sends asks just before each intent and each request. Credits are reserved with the intent. */
export interface Gate {
  /** False once the list of a guard has changed. */
  readonly isCurrent: () => boolean;
  readonly look: () => Promise<void>;
  readonly barrierFor: (to: string) => Barrier | undefined;
  /** Absent if no day has a limit. */
  readonly reservations?: Reservations;
}

export function openGate(guards: readonly Guard[], wallClock: () => number): Gate {
  const reservations = guards.find((guard) => guard.reservations !== undefined)?.reservations?.();
  let current = guards;
  let error: SmsError | undefined;
  return {
    // If a guard cannot be read, the gate refuses everything from then on.
    isCurrent: () => error !== undefined || current.every((guard) => guard.isCurrent?.() !== false),
    look: async () => {
      try {
        current = await Promise.all(current.map(async (guard) => guard.renew?.() ?? guard));
      } catch (cause) {
        if (!(cause instanceof SmsError)) throw cause;
        error = cause;
      }
    },
    barrierFor: (to) => {
      if (error !== undefined) return { kind: "unreadable", error };
      const hold = holdOf(current, numberKey(to)) ?? holdAll(current, wallClock());
      return hold && { kind: "held", hold };
    },
    reservations,
  };
}
