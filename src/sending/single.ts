import type { Outcome } from "../message/outcome.ts";
import { membersOf } from "../message/fields.ts";
import { noResult, outcomeFrom, type ResultEntry } from "../record/journal-entry.ts";
import { type Entry, entryOf, type HistoryKeeper } from "../record/history.ts";
import { Ledger } from "../record/ledger.ts";
import type { OnceKey } from "../record/once.ts";
import type { RunWriter } from "../record/runs.ts";
import { errorOf, requireAllowed } from "../guards/open.ts";
import { openGate } from "../guards/gate.ts";
import type { Guard } from "../guards/guard.ts";
import type { ChosenProfile } from "../profiles/resolve.ts";
import type { Recipient } from "../recipients/check.ts";
import type { MessageRequest } from "../recipients/message.ts";
import { payerOf } from "../profiles/payer.ts";
import { judge } from "../service/answer.ts";
import { logRequests, openDispatcher } from "../service/connection.ts";
import { startExchange } from "../service/exchange.ts";
import { wireRequest } from "../service/request.ts";
import { userAgent } from "../version.ts";
import type { Host } from "../host.ts";
import type { Context } from "../terminal/context.ts";
import { type Destination, recordedMode } from "./destination.ts";
import { deliver, type SendEvent } from "./engine.ts";
import type { Once } from "./once.ts";
import type { SendOptions } from "./options.ts";
import { openPace } from "./pace.ts";
import { showSend } from "./views/send-progress.ts";

/** One message that is checked, and all that is needed to send it. */
export interface PreparedMessage {
  readonly isWatch?: boolean;
  readonly request: MessageRequest;
  readonly message: Recipient;
  readonly guards: readonly Guard[];
  readonly chosen: ChosenProfile | undefined;
  readonly destination: Destination;
  readonly history: HistoryKeeper | undefined;
  readonly once: Once | undefined;
}

/** Throws if the guards do not allow the message now, or if it `isLater` and they never allow it. */
export function requireSendable(
  { message: { to, segments }, guards }: PreparedMessage,
  { wait, isLater }: { readonly wait?: true; readonly isLater?: true },
  host: Host,
): Promise<void> {
  const planned = { segments, exposure: 0, first: isLater ? 0 : segments, longest: segments };
  return requireAllowed(guards, { to, wait, isLater, ...planned }, host);
}

/**
 * Sends one message by the engine that sends a run, and shows the progress. The history, and the key of `--once` if one is
 * `held`, take the place of a run's journal. Throws if it may not be sent now, or if the key cannot be used: nothing was sent by then.
 */
export async function sendSingle(
  prepared: PreparedMessage,
  {
    options: { timeout, retries, wait },
    held,
  }: { readonly options: Pick<SendOptions, "timeout" | "retries" | "wait">; readonly held: OnceKey | undefined },
  context: Context,
): Promise<Outcome> {
  const { message, guards, destination } = prepared;
  const { host, presenter, redactor } = context;
  const { redactForeign: redact } = redactor;
  const time = { kind: "total", ms: timeout * 1000 } as const;
  host.limitLookups(time.ms);
  const { now } = host;
  // Not of `crypto`, which takes 2 ms to load.
  const id = Math.floor(now() * 1000).toString(36) + Math.floor(host.random() * 36 ** 4).toString(36);
  const dispatcher = await openDispatcher(destination.address.origin, destination.proxy);
  const progress = showSend({ to: message.to, timeout: time.ms }, presenter, host);
  const onEvent = (event: SendEvent) => {
    if (event.kind === "waiting" || event.kind === "closed") progress.event(event);
  };
  const send = () =>
    deliver(
      only({ ...message, index: 0 }),
      { time, retries, wait, inFlight: { first: 1, most: 1 }, maxCredits: Infinity },
      {
        ...host,
        startRequest: logRequests(
          (request, onEnd) => startExchange(dispatcher, request, onEnd),
          () => progress.event,
        ),
        request: (planned) => wireRequest(destination, membersOf(planned), userAgent),
        writer: writerOf(id, { prepared, held }, context),
        ledger: new Ledger(Uint8Array.of(message.segments)),
        gate: openGate(guards, host.wallClock),
        pace: openPace(Infinity),
        interruption: host.interruption(),
        redact,
        onEvent,
      },
    );
  const { last, refusal, error } = await presenter.waitFor(progress.wait, send);
  progress.close();
  await dispatcher.destroy();
  if (error !== undefined) throw error;
  if (refusal !== undefined && (last === undefined || last.kind === "unsent")) throw errorOf(refusal);
  const outcome =
    last ?? judge({ kind: "unreached", why: { kind: "stopped" } }, { to: message.to, now: now(), redact });
  if (outcome.kind === "unsent") await keepOutcome({ ids: {}, outcome }, prepared, context);
  return outcome;
}

async function* only<Item>(item: Item): AsyncGenerator<Item, void> {
  yield item;
}

/** Records a message where no run does. What the history cannot take stops nothing: the outcome says that it is missing. */
function writerOf(
  id: string,
  { prepared, held }: { readonly prepared: PreparedMessage; readonly held: OnceKey | undefined },
  context: Context,
): Pick<RunWriter, "record"> {
  const { host, presenter } = context;
  const { to } = prepared.message;
  let isIntended = false;
  const tryTo = async (problem: string, change: () => Promise<void> | undefined) => {
    try {
      await change();
    } catch (error) {
      presenter.warn(`${problem}: ${error instanceof Error ? error.message : String(error)}`);
    }
  };
  const withdraw = async () => {
    const problem = "nothing was sent, but the --once key is not free, so it counts as uncertain";
    await tryTo(problem, () => held?.withdraw());
    // The same entry again withdraws it.
    if (isIntended) await keep({ ids: { intent: id }, outcome: noResult }, prepared, host).catch(() => {});
    isIntended = false;
  };
  const intend = async () => {
    await held?.intend();
    // A kill leaves it there as uncertain, for a watch to count it as well.
    await keep({ ids: { intent: id }, outcome: noResult }, prepared, host).then(
      () => (isIntended = true),
      () => {},
    );
  };
  const settle = async (result: ResultEntry) => {
    const outcome = outcomeFrom(result, to);
    const problem = "the outcome is not recorded, so the --once key counts as uncertain";
    await tryTo(problem, () => held?.settle(outcome));
    await keepOutcome({ ids: isIntended ? { settles: id } : {}, outcome }, prepared, context);
  };
  return {
    record: async (entry) => {
      if (entry.kind === "intent") return intend();
      // Another try may follow what is unsent, and a kill before it must leave nothing in doubt.
      if (entry.kind === "released" || entry.kind === "unsent") return withdraw();
      if ("index" in entry) return settle(entry);
    },
  };
}

/** Appends to the history. Safe against a kill without a flush, for which a plain send would wait. */
async function keep(
  { ids, outcome }: { readonly ids: Pick<Entry, "intent" | "settles">; readonly outcome: Outcome },
  { message: { to, sender, segments }, isWatch, chosen, destination, history }: PreparedMessage,
  host: Host,
): Promise<void> {
  if (history === undefined) return;
  const payer = payerOf(destination, chosen?.profile);
  // The steady clock of a watch that lives for months has stood still while the machine slept.
  const at = isWatch ? host.wallClock() : host.now();
  const mode = recordedMode(destination);
  await history.append(entryOf({ to, sender, payer, segments, isWatch, mode, at, outcome, ...ids }));
}

async function keepOutcome(
  { ids, outcome }: { readonly ids: Pick<Entry, "settles">; readonly outcome: Outcome },
  prepared: PreparedMessage,
  { host, presenter }: Context,
): Promise<void> {
  await keep({ ids, outcome }, prepared, host).catch((error: unknown) => {
    presenter.warn(`this message is not in the history: ${error instanceof Error ? error.message : String(error)}`);
  });
}
