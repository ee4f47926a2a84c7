import type { Outcome } from "../../message/outcome.ts";
import { cutOffOutcome, outcomeFrom, type ResultEntry } from "../../record/journal-entry.ts";
import { type HistoryEntry, entryOf } from "../../record/history.ts";
import { Ledger } from "../../record/ledger.ts";
import type { OnceClaim } from "../../record/once.ts";
import type { RunWriter } from "../../record/runs.ts";
import type { Gate } from "../../guards/gate.ts";
import { errorOf, warnOfSpending } from "../../guards/open.ts";
import { payerOf } from "../../profiles/payer.ts";
import { noteOutcome } from "../../profiles/record.ts";
import { judge } from "../../service/answer.ts";
import { logRequests, openDispatcher } from "../../service/connection.ts";
import { startExchange } from "../../service/exchange.ts";
import { recordedMode } from "../destination.ts";
import { deliver, type SendEvent } from "../engine.ts";
import type { Presenter } from "../../terminal/context.ts";
import { requestLimits } from "../limits.ts";
import type { Replay } from "../once-key.ts";
import { commonParts, type Send } from "../opening.ts";
import { openPace } from "../pace.ts";
import { showSend } from "../views/send-progress.ts";
import { type CountedMessage, requireSendable } from "./allowed.ts";

export interface Delivery {
  readonly outcome: Outcome;
  readonly replay?: Replay;
}

/** Throws if the message may not be sent now, or if the key cannot be used: nothing was sent by then. */
export async function deliverMessage(message: CountedMessage, send: Send): Promise<Delivery> {
  const { once, options } = send;
  const claim = await once?.claim(message, requestLimits(options).timeoutMs);
  if (claim?.kind === "replayed") return claim;
  try {
    await requireSendable(message, send);
    return { outcome: await deliverNow(message, send, claim) };
  } finally {
    // This drops the lock; an outcome stays with the key.
    await claim?.release();
  }
}

/** Never throws, since the outcome is known. */
export async function noteDelivery(
  { outcome, replay }: Delivery,
  { guards, payingProfile, destination, context }: Send,
): Promise<void> {
  if (replay !== undefined) return;
  const { host, presenter } = context;
  try {
    if (outcome.kind === "accepted") await warnOfSpending(guards, outcome.receipt.newBalance, presenter);
    if (payingProfile !== undefined) await noteOutcome(destination, outcome, host, payingProfile);
  } catch {
    // The next outcome is noted again.
  }
}

/** The history and the key of `--once`, if there is one, take the place of a run's journal. */
async function deliverNow(message: CountedMessage, send: Send, claim: OnceClaim | undefined): Promise<Outcome> {
  const { destination, options, context } = send;
  const { host, presenter, redactor } = context;
  const { redactForeign: redact } = redactor;
  const { retries, timeoutMs } = requestLimits(options);
  const time = { kind: "total", ms: timeoutMs } as const;
  host.limitLookups(time.ms);
  const dispatcher = await openDispatcher(destination.address.origin, destination.proxy);
  const progress = showSend({ to: message.to, timeout: time.ms }, presenter, host);
  const onEvent = (event: SendEvent) => {
    if (event.kind === "waiting" || event.kind === "on-hold") progress.event(event);
  };
  const parts = commonParts(send);
  const work = () =>
    deliver(
      only({ ...message, index: 0 }),
      // `requireSendable` has asked --max-credits.
      { time, retries, waitsOutHolds: options.wait, inFlight: { first: 1, most: 1 }, maxCredits: Infinity },
      {
        ...parts,
        startRequest: logRequests(
          (request, onEnd) => startExchange(dispatcher, request, onEnd),
          () => progress.event,
        ),
        writer: messageWriter(message, send, parts.gate, claim),
        ledger: new Ledger(Uint8Array.of(message.segments)),
        pace: openPace(Infinity),
        onEvent,
      },
    );
  const { last, barrier, error } = await presenter.waitFor(progress.status, work);
  progress.close();
  await dispatcher.destroy();
  // A known outcome stands, or the message would be sent again.
  const isUnsent = last === undefined || last.kind === "unsent";
  if (isUnsent && error !== undefined) throw error;
  if (isUnsent && barrier !== undefined) throw errorOf(barrier);
  // Without an outcome, a signal came before the request.
  const outcome =
    last ?? judge({ kind: "unreached", why: { kind: "stopped" } }, { to: message.to, now: host.now(), redact });
  // The writer withdrew its intent and kept no outcome, because another try could have followed.
  if (outcome.kind === "unsent") await keepOutcome(message, send, outcome);
  return outcome;
}

async function* only<Item>(item: Item): AsyncGenerator<Item, void> {
  yield item;
}

/** If the history cannot be written, the message is still sent, and a warning says that the entry is missing. */
function messageWriter(
  message: CountedMessage,
  send: Send,
  gate: Gate,
  claim: OnceClaim | undefined,
): Pick<RunWriter, "record"> {
  const { host, presenter } = send.context;
  // `crypto` takes 2 ms to load.
  const id = Math.floor(host.now() * 1000).toString(36) + Math.floor(host.random() * 36 ** 4).toString(36);
  let isIntentNoted = false;
  const appendIntent = () => keep(message, send, cutOffOutcome, { intent: id });
  const intend = async () => {
    await claim?.intend();
    // A kill leaves the intent there, and the history shows the message as uncertain.
    await appendIntent().then(
      () => (isIntentNoted = true),
      () => {},
    );
  };
  const withdraw = async () => {
    const problem = "nothing was sent, but the --once key is not free, so it counts as uncertain";
    await claim?.withdraw().catch(warningOf(problem, presenter));
    // A second entry with the same id takes the first one back.
    if (isIntentNoted) await appendIntent().catch(() => {});
    isIntentNoted = false;
  };
  const settle = async (result: ResultEntry) => {
    const outcome = outcomeFrom(result, message.to);
    const problem = "the outcome is not recorded, so the --once key counts as uncertain";
    await claim?.settle(outcome).catch(warningOf(problem, presenter));
    await keepOutcome(message, send, outcome, isIntentNoted ? { settles: id } : {});
  };
  return {
    record: async (entry, _at, booking) => {
      if (entry.kind === "intent") await intend();
      // Another try may follow what is unsent, and a kill before it must leave nothing in doubt.
      else if (entry.kind === "withdrawn" || entry.kind === "unsent") await withdraw();
      else if ("index" in entry) await settle(entry);
      if (booking === undefined) return;
      await gate.reservations?.book(booking);
      if (entry.kind === "intent" && booking.granted() === 0) await withdraw();
    },
  };
}

function warningOf(problem: string, presenter: Presenter): (error: unknown) => void {
  return (error) => presenter.warn(`${problem}: ${error instanceof Error ? error.message : String(error)}`);
}

/** The entry is safe against a kill without a flush, for which a plain send would wait. */
async function keep(
  { to, sender, segments, isWatch }: CountedMessage,
  { payingProfile, destination, history, context: { host } }: Send,
  outcome: Outcome,
  { intent, settles }: Pick<HistoryEntry, "intent" | "settles">,
): Promise<void> {
  if (history === undefined) return;
  const payer = payerOf(destination, payingProfile);
  // `now()` stops while the machine sleeps; a long watch needs the wall clock.
  const at = isWatch ? host.wallClock() : host.now();
  const mode = recordedMode(destination);
  const run = undefined;
  await history.append(entryOf({ to, run, sender, payer, segments, isWatch, mode, at, outcome, intent, settles }));
}

function keepOutcome(
  message: CountedMessage,
  send: Send,
  outcome: Outcome,
  ids: Pick<HistoryEntry, "settles"> = {},
): Promise<void> {
  const warn = warningOf("this message is not in the history", send.context.presenter);
  return keep(message, send, outcome, ids).catch(warn);
}
