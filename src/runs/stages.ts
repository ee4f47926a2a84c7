import type { Failure } from "../core/outcome.ts";
import { type EndingKind, SmsError } from "../errors.ts";
import type { Host } from "../host.ts";
import { countDue, isDue } from "./due.ts";
import {
  carryOutRun,
  stoppedBy,
  type RunObserver,
  type RunPolicy,
  type RunResult,
  type RunService,
} from "./execution.ts";
import { type FirstCharge, readFirstCharge } from "./first-charge.ts";
import type { OpenRun } from "./planning.ts";
import { requireRun } from "./run.ts";

/** The first messages of a run, once they are sent. */
export interface FirstStage {
  readonly charge: FirstCharge;
  /** Whether any of them was sent just now, and not by an earlier invocation. */
  readonly isNew: boolean;
  /** How many messages the rest is. */
  readonly rest: number;
}

/** Why the rest is not sent now. */
export interface FirstStop {
  readonly ending: EndingKind;
  readonly failure: Failure | undefined;
}

/** How the sending of a run in stages ended. */
export interface StagedResult extends RunResult {
  /** Undefined for a run that was not begun with first messages. */
  readonly firstCharge: FirstCharge | undefined;
}

/**
 * Sends what is left of a run, as `carryOutRun` does: of a run with first messages these alone, and the rest if `stopAfter`
 * returns nothing. It is asked once all of the first were tried, also if there is no rest.
 */
export async function carryOutStages(
  run: OpenRun,
  service: RunService,
  policy: RunPolicy,
  host: Host,
  observer: RunObserver,
  stopAfter: (stage: FirstStage) => Promise<FirstStop | undefined>,
): Promise<StagedResult> {
  const { first } = run.header;
  if (first === undefined) {
    return { ...(await carryOutRun(run, service, policy, host, observer)), firstCharge: undefined };
  }
  const mayBeSent = isDue(run.ledger, policy.retry);
  const isNew = Array.from({ length: Math.min(first.count, run.ledger.messages) }, (_, index) => index).some(mayBeSent);
  const result = await carryOutRun(run, service, { ...policy, range: { from: 0, end: first.count } }, host, observer);
  if (result.error !== undefined) return { ...result, firstCharge: undefined };
  try {
    const firstCharge = await readFirstCharge(run, first);
    const isTried = result.ending === "accepted" || result.ending === "incomplete";
    const left = { ...run, ...(await requireRun(run.files)) };
    const others = { ...policy, range: { from: first.count, end: Infinity } };
    if (!isTried) return { ...result, firstCharge };
    const rest = (await countDue(left, others)).messages;
    const stop = await stopAfter({ charge: firstCharge, isNew, rest });
    if (stop !== undefined) return { ...result, ending: stop.ending, stopped: stop.failure, firstCharge };
    if (rest === 0) return { ...result, firstCharge };
    const last = await carryOutRun(left, service, others, host, observer);
    const held = new Map([...result.held].map(([guard, count]) => [guard, count + (last.held.get(guard) ?? 0)]));
    return {
      ...last,
      held: new Map([...last.held, ...held]),
      lastAccepted: last.lastAccepted ?? result.lastAccepted,
      firstCharge,
    };
  } catch (error) {
    const cause = stoppedBy(error);
    const ending = cause instanceof SmsError ? cause.kind : "fault";
    return { ...result, ending, error: cause, firstCharge: undefined };
  }
}
