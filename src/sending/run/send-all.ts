import { type EndingKind, fileError, SmsError } from "../../errors.ts";
import { isAllAccepted, recipientsOf } from "../../record/ledger.ts";
import { type OwnRun, recordOne } from "../../record/runs.ts";
import type { Booking } from "../../record/spending.ts";
import { reachesPhone } from "../../terminal/text.ts";
import { logRequests, openConnections } from "../../service/connection.ts";
import { profileOption } from "../../words/shell-word.ts";
import { deliver, type SendParts } from "../engine.ts";
import { requestLimits } from "../limits.ts";
import { commonParts, type Send } from "../opening.ts";
import { openPace } from "../pace.ts";
import { showProgress } from "../views/run-progress.ts";
import { type RunResult, resumeCommand } from "../views/run-summary.ts";
import type { BegunRun } from "./begin.ts";
import { type Plan, rateOf } from "./plan.ts";
import { readToSend } from "./to-send.ts";
import { planNotes } from "./present.ts";
import { typedOptions } from "./kept-options.ts";

/** One request goes first, in case a fault stops the run; 64 serve the professional tier at 2 seconds an answer. */
const inFlight = { first: 1, most: 64 };

/** Throws if the journal cannot be opened; once a message may have been sent, nothing is thrown. */
export async function sendAll(run: BegunRun, plan: Plan, send: Send): Promise<RunResult> {
  const { options, context, destination } = send;
  const { host, presenter } = context;
  const { ledger, countToSend } = run;
  const { maxCredits = Infinity } = options;
  const before = ledger.tally();
  const isCharged = reachesPhone(destination);
  const start = { countToSend, retry: options.retry, isCharged };
  const progress = showProgress(presenter, ledger, start, host.now);
  const { retries, timeoutMs } = requestLimits(options);
  const time = { kind: "per-request", ms: timeoutMs } as const;
  host.limitLookups(time.ms);
  const limits = { inFlight, time, retries, maxCredits, waitsOutHolds: options.wait };
  const writer = await plan.ownRun.openWriter();
  const parts = { ...(await partsOf(run, send)), writer, onEvent: progress.event };
  const delivery = await presenter.waitFor(progress.status, () => deliver(readToSend(run, send), limits, parts));
  const closeError = await writer.close().then(
    () => undefined,
    (cause: unknown) => cause,
  );
  const error = asRunError(delivery.error ?? closeError);
  if (error !== undefined)
    await withdraw(plan.ownRun, run, host.now(), parts.gate.reservations?.bookRest()).catch(() => {});
  const tally = ledger.tally();
  const { name } = run.header;
  const { profile } = options;
  const notes = planNotes(plan, run.repeats);
  return {
    ...delivery,
    // A message that was accepted stays accepted, even if that could not be recorded.
    ending: isAllAccepted(tally) && error !== undefined ? "accepted" : endingAfter(delivery.ending, error),
    error,
    run: name,
    destination,
    tally,
    countToSend,
    acceptedNow: tally.accepted - before.accepted,
    overLimit: Math.max(0, ledger.charged - maxCredits),
    failures: progress.failures,
    notes: { ...notes, leftOut: tally.leftOut },
    readLeftOut: run.readLeftOut,
    commands: plan.runs && {
      resume: resumeCommand(name, profile, typedOptions(options, run.header.options)),
      show: `sms runs show ${name}${profileOption(profile)}`,
    },
  };
}

async function partsOf(run: BegunRun, send: Send): Promise<Omit<SendParts, "writer" | "onEvent">> {
  const { destination, context } = send;
  const { ledger } = run;
  const { wireLog } = context.presenter;
  const wasTried = ledger.tally().pending < recipientsOf(ledger.tally());
  const startRequest = await openConnections(destination.address.origin, destination.proxy);
  let exchanges = 0;
  return {
    ...commonParts(send),
    startRequest: wireLog === undefined ? startRequest : logRequests(startRequest, () => wireLog(String(++exchanges))),
    ledger,
    pace: openPace(rateOf(send), wasTried ? await run.lastWritten() : undefined),
  };
}

function endingAfter(ending: EndingKind, error: unknown): EndingKind {
  if (error === undefined) return ending;
  return error instanceof SmsError ? error.kind : "fault";
}

/** If this fails, too, then messages that were provably not sent stay uncertain. */
async function withdraw(ownRun: OwnRun, { ledger }: BegunRun, now: number, booking?: Booking): Promise<void> {
  const recorded = await (await ownRun.read())?.readLedger();
  const indexes: number[] = [];
  for (let index = 0; index < ledger.messages; index++) {
    if (recorded?.isOpen(index) && ["pending", "unsent"].includes(ledger.outcomeOf(index))) indexes.push(index);
  }
  if (indexes.length > 0) await recordOne(ownRun, { kind: "withdrawn", indexes }, now, booking);
}

/** A usage error would claim that nothing was sent. */
function asRunError(error: unknown): unknown {
  const smsError = error instanceof SmsError ? error : fileError(error);
  if (smsError?.kind !== "usage") return error;
  const { message, errorCode, details, hint = "the run can be resumed" } = smsError;
  return new SmsError("incomplete", errorCode, message, { details, hint, cause: error });
}
