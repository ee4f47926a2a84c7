import type { SendOptions } from "./options.ts";
import { isLive } from "../service/credentials.ts";
import { ageInDays } from "../key.ts";
import { countSegments, type SegmentCount } from "../message/segments.ts";
import { type EndingKind, usageError } from "../errors.ts";
import { type Guard, rulesOf } from "../guards/guard.ts";
import type { Reservations } from "../guards/daily-limit.ts";
import type { Host } from "../host.ts";
import { payerOf } from "../profiles/payer.ts";
import type { ChosenProfile } from "../profiles/resolve.ts";
import type { Recipient } from "../recipients/check.ts";
import { type MessageRequest, prepareMessage } from "../recipients/message.ts";
import { type Entry, entryOf, type HistoryKeeper } from "../record/history.ts";
import { noResult } from "../record/journal-entry.ts";
import type { Context } from "../terminal/context.ts";
import { checkOf, hoursOf, openGuards, readingLists, requireRoom, requireWithin, spendingOf } from "../guards/open.ts";
import { accountOf, type Destination, openDestination, planOrigin, recordedMode } from "./destination.ts";
import type { Spending } from "../guards/spending.ts";
import { historyOf } from "../reports/kept.ts";
import { profileOf, warnOfRotation } from "../profiles/defaults.ts";
import { prompterFor } from "../terminal/prompt.ts";
import { noteOutcome, openRecord } from "../profiles/record.ts";
import { report, sendMessage, type SentMessage } from "./single.ts";
import { cutTexts, readMessageRequest, warningTexts } from "./request.ts";
import type { Once } from "./once.ts";

/** One message that is checked, and all that is needed to send it. */
export interface PreparedMessage {
  readonly isWatch?: boolean;
  readonly request: MessageRequest;
  readonly message: Recipient;
  readonly count: SegmentCount;
  readonly guards: readonly Guard[];
  readonly spending: Spending | undefined;
  readonly chosen: ChosenProfile | undefined;
  readonly destination: Destination;
  readonly history: HistoryKeeper | undefined;
  readonly once: Once | undefined;
}

/** Sends one message and reports its outcome. Throws if nothing can be sent. */
export async function sendOne(options: SendOptions, context: Context): Promise<EndingKind> {
  const prepared = await prepare(options, context);
  try {
    if (options.dryRun) return await showPlan(prepared, options, context);
    await confirmNumber(prepared, options, context.host, () => requireAllowed(prepared, options, context.host));
    return await send(prepared, options, context);
  } finally {
    await prepared.destination.close();
  }
}

/** Checks one message. `written` is the text that a key of `--once` compares; the message's own if it is undefined. */
export async function prepare(options: SendOptions, context: Context, written?: string): Promise<PreparedMessage> {
  const { host, presenter } = context;
  const { own, chosen, defaults } = profileOf(options, host);
  const request = await readMessageRequest(options, defaults, context);
  const lists = await presenter.waitFor(readingLists, () => openGuards(options, own, request.country, host));
  // What was sent under a key is reported although the guards would hold it back now.
  const { message, notes } = await prepareMessage({ ...request, guards: options.once === undefined ? lists : [] });
  // The text about a command is another one once it has run.
  const cuts = written === undefined ? cutTexts(notes) : [];
  for (const warning of [...warningTexts(notes), ...cuts]) presenter.warn(warning);
  const history = chosen && (await historyOf(host, chosen));
  if (chosen !== undefined) await openRecord(host, chosen)?.requireWritable();
  const destination = await openDestination(options.expect, chosen, context);
  try {
    const { key } = destination;
    // Not elsewhere: a script cannot rotate a key, and its output should not change with the date.
    if (key !== undefined && host.terminal() !== undefined)
      warnOfRotation(key.name, ageInDays(key.added, host.now()), options.profile, presenter);
    const guards = [...lists, ...(await hoursOf(options.between, undefined, chosen, destination.mode, host)).guards];
    const spending = await spendingOf(chosen, destination, host);
    const keys = options.once === undefined ? undefined : await import("./once.ts");
    const keyed = written === undefined ? message : { ...message, text: written };
    const once = await keys?.openOnce(options, keyed, destination, chosen, context);
    const count = countSegments(message.text);
    return { request, message, count, guards, spending, chosen, destination, history, once };
  } catch (error) {
    await destination.close();
    throw error;
  }
}

/** Shows what would be sent. Throws if it would be refused now. */
export async function showPlan(prepared: PreparedMessage, options: SendOptions, context: Context): Promise<EndingKind> {
  const { message, chosen, count, guards, spending, destination, once } = prepared;
  const { host, presenter } = context;
  const { sendPlanView } = await import("./views/run-plan.ts");
  const used = await once?.find();
  const limit = await spending?.daily?.rule();
  const rules = [
    ...rulesOf(guards),
    ...(limit === undefined ? [] : [limit]),
    ...(once === undefined ? [] : [once.rule(used)]),
  ];
  const { mode, isSandbox } = destination;
  const plan = { ...message, mode, isSandbox, count, guards: rules, origin: planOrigin(destination) };
  presenter.show(sendPlanView(plan, (await accountOf(destination, host, chosen)).price));
  if (used === undefined) await requireAllowed(prepared, options, host);
  return "accepted";
}

/**
 * Asks before a message that is charged goes to a number in no range known to be in use, unless it was sent before; `--yes`
 * answers. `requireSendable` throws for a message that is refused anyway. Throws a usage error if the answer is no.
 */
export async function confirmNumber(
  { message, destination, once }: PreparedMessage,
  options: SendOptions,
  host: Host,
  requireSendable: () => void | Promise<void>,
): Promise<void> {
  if (message.assigned || !isLive(destination.mode) || options.yes) return;
  const prompter = prompterFor(host, options);
  if (prompter === undefined || (await once?.find()) !== undefined) return;
  await requireSendable();
  if (await prompter.confirm(`${message.to} may not exist. Send to it?`)) return;
  throw usageError("DECLINED", "Cancelled; nothing was sent.");
}

/** Sends a message, and records its outcome. `tell` then says what became of it, and returns how the command ends. Throws if it may not be sent now. */
export async function send(
  prepared: PreparedMessage,
  options: SendOptions,
  context: Context,
  tell = (sent: SentMessage): EndingKind =>
    report(sent, prepared.count.segments, prepared.once?.doubtHint, prepared.destination, context),
): Promise<EndingKind> {
  const { message, spending, destination, once } = prepared;
  const { host } = context;
  // Not of `crypto`, which takes 2 ms to load.
  const id = `${host.now()}-${host.random()}`;
  const reservations = spending?.daily?.reservations(`message ${id}`);
  const check = checkFor(prepared, host, reservations);
  const limits = { timeout: options.timeout * 1000, retries: options.retries, check };
  const mayBegin = async () => {
    requireWithin(options.maxCredits, prepared.count.segments);
    await check();
  };
  let mayHaveBegun = false;
  /** The id under which the history has the message as uncertain: a kill leaves it there, for a watch to count it as well. */
  let intent: string | undefined;
  const intend = async (isBegun: boolean) => {
    if (isBegun === (intent !== undefined)) return;
    intent ??= id;
    try {
      await append({ outcome: noResult }, prepared, host, { intent });
      if (!isBegun) intent = undefined;
    } catch {
      // The outcome cannot be written either, and says so.
    }
  };
  const attempt = (onRequest?: (mayHaveBegun: boolean) => Promise<void>) =>
    sendMessage(message, destination, limits, context, async (isBegun) => {
      await onRequest?.(isBegun);
      await intend(isBegun);
      mayHaveBegun = isBegun;
      if (!isBegun) reservations?.settle(0, undefined);
    });
  const sendNow = () =>
    once === undefined ? mayBegin().then(() => attempt()) : once.send(limits.timeout, mayBegin, attempt);
  let sent: SentMessage;
  try {
    sent = await sendNow();
    reservations?.settle(0, sent.outcome);
  } catch (error) {
    if (!mayHaveBegun) reservations?.settle(0, undefined);
    throw error;
  } finally {
    await reservations?.close();
  }
  return finish(sent, prepared, context, tell, intent);
}

/** Throws if nothing is sent to this recipient, or nothing at all now, or not at this cost. */
async function requireAllowed(prepared: PreparedMessage, { maxCredits }: SendOptions, host: Host): Promise<void> {
  const { count, spending } = prepared;
  await checkFor(prepared, host)();
  requireWithin(maxCredits, count.segments);
  await requireRoom(spending?.daily, count.segments);
}

function checkFor({ message, count, guards }: PreparedMessage, host: Host, reservations?: Reservations) {
  return checkOf({ index: 0, to: message.to, segments: count.segments }, guards, host, reservations);
}

/** Appends to the history. Safe against a kill without a flush, for which a plain send would wait. */
async function append(
  { outcome }: Pick<SentMessage, "outcome">,
  { message: { to, sender }, count, isWatch, chosen, destination, history }: PreparedMessage,
  host: Host,
  ids: Pick<Entry, "intent" | "settles">,
): Promise<void> {
  if (history === undefined) return;
  const payer = payerOf(destination, chosen?.profile);
  // The steady clock of a watch that lives for months has stood still while the machine slept.
  const at = isWatch ? host.wallClock() : host.now();
  await history.append(
    entryOf({ to, sender, payer, ...count, isWatch, mode: recordedMode(destination), at, outcome, ...ids }),
  );
}

async function finish(
  sent: SentMessage,
  prepared: PreparedMessage,
  context: Context,
  tell: (sent: SentMessage) => EndingKind,
  settles: string | undefined,
): Promise<EndingKind> {
  const { host, presenter } = context;
  const { spending, chosen, destination } = prepared;
  const { outcome, replayed } = sent;
  // Before the result is shown: whoever has seen it finds it in the history.
  if (replayed === undefined) {
    await append(sent, prepared, host, { settles }).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      presenter.warn(`this message is not in the history: ${why}`);
    });
  }
  const ending = tell(sent);
  if (replayed === undefined && outcome.kind === "accepted") {
    await spending?.warn(outcome.receipt.newBalance, presenter);
  }
  if (chosen !== undefined && replayed === undefined) await noteOutcome(destination, outcome, host, chosen);
  return ending;
}
