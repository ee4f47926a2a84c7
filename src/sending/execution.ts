import type { DeliveryEvent } from "../service/exchange.ts";
import { membersOf } from "../message/fields.ts";
import type { Failure, Outcome } from "../message/outcome.ts";
import { openPace } from "./pace.ts";
import { type EndingKind, fileError, SmsError } from "../errors.ts";
import type { Gate } from "../guards/gate.ts";
import type { Host } from "../host.ts";
import { logRequests, openConnections } from "../service/connection.ts";
import { type Service, wireRequest } from "../service/request.ts";
import { type Due, dueMessages, type Selection } from "./due.ts";
import type { Tally } from "../record/ledger.ts";
import type { OpenRun } from "./planning.ts";
import { recordOne, type RunWriter } from "../record/runs.ts";
import { type SendEvent, type SendLimits, sendEach } from "./engine.ts";

interface RunPolicy extends SendLimits, Selection {
  readonly rate: number;
  readonly gate: Gate;
}

interface RunService extends Service {
  readonly proxy: URL | undefined;
  readonly userAgent: string;
}

interface RunObserver {
  readonly event: (event: SendEvent, tally: Tally) => void;
  /** Starts a log of one exchange, numbered from 1; undefined if none is wanted. */
  readonly wireLog: ((name: string) => (event: DeliveryEvent) => void) | undefined;
  /** Removes secrets from text of the service, which is shown and recorded. */
  readonly redact: (text: string) => string;
}

interface RunResult {
  readonly ending: EndingKind;
  /** Of the whole run, earlier invocations included. */
  readonly tally: Tally;
  readonly overLimit: number;
  /** The last message that was accepted now, with the balance of the tally. */
  readonly lastAccepted: Outcome | undefined;
  /** Messages that guards held back now, although they did not when the run was planned. */
  readonly held: Due["held"];
  /** Why it stopped, if that is known besides its ending. */
  readonly stopped: Failure | undefined;
  /** Why the run stopped or could not be recorded any further; undefined if neither. All may have been accepted before. */
  readonly error: unknown;
}

/**
 * Sends what is left of a run. The caller has the run's lock. Throws the system's error if the journal cannot be opened; returns
 * instead of throwing once a message may have been sent.
 */
export async function carryOutRun(
  run: OpenRun,
  { service, policy, host }: { readonly service: RunService; readonly policy: RunPolicy; readonly host: Host },
  { event, wireLog, redact }: RunObserver,
): Promise<RunResult> {
  const writer = await run.held.open();
  let lastAccepted: Extract<Outcome, { kind: "accepted" }> | undefined;
  let stopped: Failure | undefined;
  const held = new Map<string, number>();
  const observe = (shown: SendEvent, tally: Tally) => {
    if (shown.kind === "held") held.set(shown.hold.guard, (held.get(shown.hold.guard) ?? 0) + 1);
    if (shown.kind === "stopping") stopped = shown.failure;
    if (shown.kind === "settled" && shown.outcome.kind === "accepted") lastAccepted = shown.outcome;
    event(shown, tally);
  };
  const result = (ending: EndingKind, error?: unknown): RunResult => {
    const { ledger } = run;
    const overLimit = Math.max(0, ledger.charged - policy.maxCredits);
    const tally = ledger.tally();
    const { newBalance } = tally;
    // The last answer need not be the last charge.
    const last = lastAccepted && { ...lastAccepted.receipt, ...(newBalance !== undefined && { newBalance }) };
    const lastOutcome: Outcome | undefined = last && { kind: "accepted", receipt: last };
    return { ending, tally, overLimit, lastAccepted: lastOutcome, held, stopped, error };
  };
  try {
    return result(await sendRest(run, { writer, service, policy, host }, { event: observe, wireLog, redact }));
  } catch (error) {
    await withdraw(run, host.now()).catch(() => {});
    const cause = stoppedBy(error);
    // Who was accepted was accepted, whether or not that could be recorded.
    const isDone = run.ledger.tally().accepted === run.ledger.messages;
    return result(isDone ? "accepted" : cause instanceof SmsError ? cause.kind : "fault", cause);
  }
}

/** Records that the summary of a run was written: from then on the run has ended. Throws `RUN_NOT_RECORDED`. */
export async function recordSummary({ held }: OpenRun, now: number): Promise<void> {
  await recordOne(held, { kind: "summary" }, now);
}

/**
 * Withdraws the intents of messages that were provably not sent, when a failure kept their outcome from being recorded. If this
 * fails, too, these messages stay uncertain.
 */
async function withdraw({ held, ledger }: OpenRun, now: number): Promise<void> {
  const recorded = await (await held.read())?.readLedger();
  const indexes: number[] = [];
  for (let index = 0; index < ledger.messages; index++) {
    if (recorded?.isOpen(index) && ["pending", "unsent"].includes(ledger.outcomeOf(index))) indexes.push(index);
  }
  if (indexes.length > 0) await recordOne(held, { kind: "released", indexes }, now);
}

/** Returns the error of a run that stopped in its middle, for which a usage error would claim that nothing was sent. */
function stoppedBy(error: unknown): unknown {
  const known = error instanceof SmsError ? error : fileError(error);
  if (known?.kind !== "usage") return error;
  const { message, errorCode, details, hint = "`sms runs resume` goes on" } = known;
  return new SmsError("incomplete", message, { errorCode, details, hint, cause: error });
}

async function sendRest(
  run: OpenRun,
  {
    writer,
    service,
    policy,
    host,
  }: { readonly writer: RunWriter; readonly service: RunService; readonly policy: RunPolicy; readonly host: Host },
  { event, wireLog, redact }: RunObserver,
): Promise<EndingKind> {
  const { ledger } = run;
  const wasTried = ledger.tally().pending < ledger.messages;
  host.limitLookups(policy.time.ms);
  let ending: EndingKind;
  const pace = openPace(policy.rate, wasTried ? await run.lastWritten() : undefined);
  try {
    const { origin } = service.address;
    let exchanges = 0;
    const startRequest = await openConnections(origin, service.proxy);
    ending = await sendEach(dueMessages(run, policy), policy, {
      ...host,
      startRequest:
        wireLog === undefined ? startRequest : logRequests(startRequest, () => wireLog(String(++exchanges))),
      request: (message) => wireRequest(service, membersOf(message), service.userAgent),
      writer,
      ledger,
      gate: policy.gate,
      pace,
      interruption: host.interruption(),
      redact,
      onEvent: (shown) => event(shown, ledger.tally()),
    });
  } catch (error) {
    await writer.close().catch(() => {});
    throw error;
  }
  await writer.close();
  return ending;
}
