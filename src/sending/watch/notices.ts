import { invalidOption, usageError } from "../../errors.ts";
import { holdAll } from "../../guards/guard.ts";
import { readZone } from "../../guards/hours.ts";
import type { Outcome } from "../../message/outcome.ts";
import { requireText } from "../../message/text.ts";
import { profilesOf, zoneHere } from "../../profiles/defaults.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import { checkMessage, refusePlaceholders } from "../../recipients/one-message.ts";
import { commentedTexts, listTexts } from "../../recipients/list-texts.ts";
import { numbersOf } from "../../recipients/numbers.ts";
import { isOfAccount } from "../../record/ledger.ts";
import { loadClient } from "../../service/connection.ts";
import type { Context, Presenter } from "../../terminal/context.ts";
import { readText, refuseSource } from "../../terminal/input.ts";
import { failureIn } from "../../terminal/presenter.ts";
import { type Destination, type NotLoggedIn } from "../destination.ts";
import type { CountedMessage } from "../message/allowed.ts";
import { deliverMessage, noteDelivery } from "../message/delivery.ts";
import { connect, type LocalSend, openSend } from "../opening.ts";
import type { WatchOptions } from "../options.ts";
import { numberTexts } from "../views/note-texts.ts";
import type { Notice, NoticeResult } from "./gatherer.ts";
import { openSlots } from "./slots.ts";
import { noticeView, sayFailure } from "./views.ts";
import { requireRoomBehind, textOf } from "./wording.ts";

export type Notices = Awaited<ReturnType<typeof openNotices>>;

/** Throws if nothing could be sent. */
export async function openNotices(options: WatchOptions, context: Context) {
  await requireWords(options, context);
  // A line may have braces.
  const local = await openSend({ ...options, message: undefined, literal: true }, context);
  const recipients = await recipientsOf(options, local);
  const current = await renewableSend(local);
  const zone = readZone(local.payingProfile?.defaults.zone ?? zoneHere(context.host), "the time zone");
  const { destination } = current.first;
  const say = failuresOnce(destination, context);
  const count = { notices: 0, notAccepted: 0 };
  const slots = await openSlots(current.first, options.atMost);
  return {
    recipients,
    destination,
    count,
    holdAll: current.holdAll,
    earlierTimes: () => slots.earlierTimes(recipients),
    /** A notice goes as by `sms send`, and is recorded. */
    sendNotice: async (to: string, notice: Notice): Promise<NoticeResult> => {
      const at = context.host.wallClock();
      const slot = await slots.take(to);
      if (slot.kind === "full") return slot;
      const { text, outcome } = await current.send(to, textOf(notice, at, options, zone));
      say(to, outcome);
      const result = resultOf(outcome);
      await slot.end(result.kind === "counted");
      if (result.kind === "retry") return result;
      if (result.kind === "counted") count.notices++;
      if (outcome !== undefined && outcome.kind !== "accepted") count.notAccepted++;
      const { batch } = notice;
      context.presenter.show(noticeView({ at, to, text, batch, zone, destination }, outcome));
      return result;
    },
    close: current.close,
  };
}

/** Throws a usage error for words that no text can have. */
async function requireWords({ message, segments }: WatchOptions, context: Context): Promise<void> {
  if (message === undefined) return;
  if (message === "-")
    throw invalidOption("--message - and the lines are both standard input", "give the words themselves");
  refuseSource(message, (path) => `--message "$(cat ${path})"`);
  const words = requireText(await readText({ message }, context));
  refusePlaceholders(words);
  requireRoomBehind(words, segments);
}

async function recipientsOf({ to: names = [] }: WatchOptions, { rowGuards, shared, context }: LocalSend) {
  if (names.length === 0)
    throw usageError("NO_RECIPIENT", "there is no recipient", "for example: `sms watch --to +2547XXXXXXXX`");
  const { host, presenter } = context;
  return numbersOf(names, rowGuards, shared.country, host, (notes, facts) => {
    for (const text of commentedTexts(facts)) presenter.insist(`passed over: ${text}`);
    for (const text of [...listTexts(facts), ...numberTexts(notes), ...notes.firstLeftOut]) presenter.warn(text);
  });
}

/** If the service refuses the key, which may have been rotated since, the next text looks for credentials anew. */
async function renewableSend(local: LocalSend) {
  const { context } = local;
  const first = await connect({ ...local, context: silent(context) });
  let send = first;
  let isStale = false;
  const { destination } = first;
  if (destination.kind === "service") await loadClient(destination.address.origin, destination.proxy);
  const renew = async () => {
    const unheard = silent(context, { warn: () => {}, note: () => {} });
    const again = await connect({ ...local, ...profilesOf(local.options, context.host), context: unheard });
    await send[Symbol.asyncDispose]();
    send = { ...again, context: silent(context) };
    isStale = false;
  };
  const outcomeOf = async (message: CountedMessage): Promise<Outcome | undefined> => {
    if (isStale) await renew();
    if (send.kind === "dry-run") return undefined;
    const delivery = await deliverMessage(message, send);
    await noteDelivery(delivery, send);
    const { outcome } = delivery;
    if (outcome.kind !== "accepted" && outcome.failure.kind === "unauthorized") isStale = true;
    return outcome;
  };
  return {
    first,
    holdAll: (wall: number) => holdAll(send.guards, wall),
    /** In a dry run nothing is sent, and there is no outcome. */
    send: async (to: string, text: string) => {
      try {
        const message = { ...(await checkMessage(local, to, text)), isWatch: true } as const;
        return { text: message.text, outcome: await outcomeOf(message) };
      } catch (error) {
        return { text, outcome: outcomeAfter(error) };
      }
    },
    close: () => send[Symbol.asyncDispose](),
  };
}

/** The line that the watch shows stays while notices are sent. */
function silent(context: Context, change: Partial<Presenter> = {}): Context {
  const waitFor = <T>(_: unknown, work: () => Promise<T>) => work();
  return { ...context, presenter: { ...context.presenter, showsWaits: false, waitFor, ...change } };
}

/** The same failure for the same recipient is said once. */
function failuresOnce(destination: Destination | NotLoggedIn, { host, presenter }: Context) {
  const lastCodes = new Map<string, string>();
  return (to: string, outcome: Outcome | undefined) => {
    if (outcome?.kind !== "rejected" && outcome?.kind !== "unsent") return void lastCodes.delete(to);
    const { errorCode } = outcome.failure;
    if (lastCodes.get(to) !== errorCode && !host.interruption().stop.aborted && destination.kind === "service")
      sayFailure(to, outcome, credentialsSource(destination), presenter);
    lastCodes.set(to, errorCode);
  };
}

/** A refusal of the account would meet every notice, so the lines are kept until the cause is gone. */
function resultOf(outcome: Outcome | undefined): NoticeResult {
  if (outcome === undefined || outcome.kind === "accepted" || outcome.kind === "uncertain") return { kind: "counted" };
  const isRefusal = outcome.kind === "rejected" && !isOfAccount(outcome.failure);
  return isRefusal ? { kind: "refused" } : { kind: "retry", reason: outcome.failure.error };
}

/** An error that is thrown on purpose is thrown before a request begins. */
function outcomeAfter(cause: unknown): Outcome {
  const { kind, message: error, errorCode, ...report } = failureIn(cause, false);
  const failure = { kind, error, errorCode };
  // A watch waits for the hours without an option.
  const hint = errorCode === "OUTSIDE_HOURS" ? undefined : report.hint;
  return kind === "fault"
    ? { kind: "uncertain", failure }
    : { kind: "unsent", failure, retry: { kind: "never" }, hint };
}
