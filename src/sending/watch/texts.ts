import type { WatchOptions } from "../options.ts";
import { defaultRetries, defaultTimeout } from "../limits.ts";
import { isLive } from "../../service/credentials.ts";
import type { Entry } from "../../record/history.ts";
import type { Outcome } from "../../message/outcome.ts";
import { invalidOption, usageError } from "../../errors.ts";
import { holdOfAll } from "../../guards/guard.ts";
import { readZone } from "../../guards/hours.ts";
import { zoneHere } from "../../profiles/defaults.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import { isOfAccount } from "../../record/ledger.ts";
import type { Context } from "../../terminal/context.ts";
import { failureIn } from "../../terminal/presenter.ts";
import { prepareMessage } from "../../recipients/message.ts";
import { numbersOf } from "../../recipients/numbers.ts";
import { openDispatcher } from "../../service/connection.ts";
import { recordedMode } from "../destination.ts";
import { deliverMessage, noteSettled } from "../message/delivery.ts";
import { prepare, type RealMessageSend } from "../message/prepared.ts";
import { beginSend, isToBeSent } from "../opening.ts";
import { warningTexts } from "../views/note-texts.ts";
import type { Notice, TextResult } from "./gatherer.ts";
import { sayFailure, textView } from "./views.ts";
import { requireRoomBehind, textOf } from "./wording.ts";

export type Texts = Awaited<ReturnType<typeof openTexts>>;

/** The lines are not there yet, but a message without a text cannot be checked. */
const anyText = "watch";

/** Throws if nothing could be sent. */
export async function openTexts(options: WatchOptions, context: Context) {
  const { presenter } = context;
  // The line that the watch shows stays while texts are sent.
  const waitFor = <T>(_: unknown, work: () => Promise<T>) => work();
  const warnings = new Set<string>();
  // The first recipient is checked twice.
  const warn = (text: string) => {
    if (!warnings.has(text)) presenter.warn(text);
    warnings.add(text);
  };
  const inSilence = { ...context, presenter: { ...presenter, showsWaits: false, waitFor, warn } };
  const { to: names = [], message: words, segments } = options;
  if (words === "-")
    throw invalidOption("--message - and the lines are both standard input", "give the words themselves");
  if (words !== undefined) requireRoomBehind(words, segments);
  // A dry run says what would pay as well.
  const sendOptions = {
    ...options,
    message: words ?? anyText,
    literal: words === undefined || undefined,
    dryRun: undefined,
    timeout: defaultTimeout,
    retries: defaultRetries,
  };
  // Each `prepare` takes these guards, so that the lists of numbers are read once.
  const { payingProfile, guards, shared } = await beginSend(sendOptions, context);
  if (names.length === 0)
    throw usageError("NO_RECIPIENT", "there is no recipient", "for example: `sms watch --to +2547XXXXXXXX`");
  const recipients = await numbersOf(names, guards.ofRows, shared.country, context.host, (notes) => {
    for (const text of [...warningTexts(notes), ...notes.firstSkipped]) warn(text);
  });
  const open = async (to: string, way: Context): Promise<RealMessageSend> => {
    const message = await prepare({ ...sendOptions, to: [to] }, way, undefined, guards);
    if (!isToBeSent(message)) throw new Error("only a dry run has no destination");
    return message;
  };
  /** All texts share this, except for its number and its text. */
  let base = await open(recipients[0], inSilence);
  const { destination } = base;
  // An upgrade may replace the files of this program while it runs.
  await (await openDispatcher(destination.address.origin, destination.proxy)).destroy();
  const zone = readZone(payingProfile?.defaults.zone ?? zoneHere(context.host), "the time zone");
  const count = { texts: 0, notAccepted: 0 };
  /** Each recipient has an error code here, so that the same failure is reported once. */
  const lastFailures = new Map<string, string>();
  let isStale = false;
  const renew = async (to: string) => {
    const again = await open(to, { ...context, presenter: { ...inSilence.presenter, warn: () => {}, note: () => {} } });
    await base.destination.close();
    base = { ...again, context: inSilence };
    isStale = false;
  };
  const send = async (to: string, text: string): Promise<Outcome> => {
    try {
      if (isStale) await renew(to);
      const { message } = await prepareMessage({ ...base.request, to, text, literal: true, guards: [] });
      const ready = { ...base, message, isWatch: true };
      const delivery = await deliverMessage(ready);
      await noteSettled(delivery, ready);
      const { outcome } = delivery;
      // The key may have been rotated since.
      if (outcome.kind !== "accepted" && outcome.failure.kind === "unauthorized") isStale = true;
      return outcome;
    } catch (error) {
      return outcomeAfter(error);
    }
  };
  const reportOnce = (to: string, outcome: Extract<Outcome, { kind: "rejected" | "unsent" }>) => {
    const { errorCode } = outcome.failure;
    if (lastFailures.get(to) !== errorCode && !context.host.interruption().stop.aborted)
      sayFailure(to, outcome, credentialsSource(destination), presenter);
    lastFailures.set(to, errorCode);
  };
  return {
    recipients,
    destination,
    count,
    holdAt: (wall: number) => holdOfAll(base.allGuards, wall),
    earlierTexts: () => earlierTexts(base, recipients, options),
    /** The text goes as by `sms send`, and is recorded. */
    tell: async (to: string, notice: Notice): Promise<TextResult> => {
      const at = context.host.wallClock();
      const text = textOf(notice, at, options, zone);
      const outcome = options.dryRun ? undefined : await send(to, text);
      if (outcome?.kind === "rejected" || outcome?.kind === "unsent") reportOnce(to, outcome);
      else lastFailures.delete(to);
      const result = resultOf(outcome);
      if (result.kind === "retry") return result;
      if (result.kind === "counted") count.texts++;
      if (outcome !== undefined && outcome.kind !== "accepted") count.notAccepted++;
      presenter.show(textView({ at, to, text, batch: notice.batch, zone, mode: destination.mode }, outcome));
      return result;
    },
    close: () => base.destination.close(),
  };
}

/** A refusal of the account would meet every text, so the lines are kept until the cause is gone. */
function resultOf(outcome: Outcome | undefined): TextResult {
  if (outcome === undefined || outcome.kind === "accepted" || outcome.kind === "uncertain") return { kind: "counted" };
  const isRefusal = outcome.kind === "rejected" && !isOfAccount(outcome.failure);
  return isRefusal ? { kind: "refused" } : { kind: "retry", reason: outcome.failure.error };
}

/** A restart must not pass --at-most. The times are by `host.now`, the earliest first. */
async function earlierTexts(
  { history, destination, context: { host, presenter } }: RealMessageSend,
  recipients: readonly string[],
  { atMost }: WatchOptions,
): Promise<ReadonlyMap<string, readonly number[]>> {
  const { trace } = presenter;
  const [now, wall] = [host.now(), host.wallClock()];
  const times = new Map<string, number[]>();
  if (history === undefined) trace("Warning: no history is kept, so a restart forgets what --at-most has counted");
  try {
    await history?.requireWritable(new Date(wall).toISOString());
    const ownMode = recordedMode(destination);
    const counts = ({ kind, mode, outcome }: Entry) =>
      kind === "watch" &&
      (outcome === "accepted" || outcome === "uncertain") &&
      (mode === ownMode || (isLive(mode) && isLive(ownMode)));
    for await (const entries of history?.newest(wall - atMost.timeMs, { isOfSingles: true }) ?? []) {
      for (const { to, at } of entries.filter(counts)) {
        if (!times.has(to)) times.set(to, []);
        // A text in the future was sent before the clock was set back.
        times.get(to)?.unshift(now - Math.max(0, wall - Date.parse(at)));
      }
    }
    return times;
  } catch (error) {
    const { message, hint = "" } = failureIn(error, false);
    const effect = `--at-most ${atMost.words} counts as used up now: lines are gathered`;
    trace(`Warning: the history cannot be read and written (${message}), so ${effect}. ${hint}`.trimEnd());
    return new Map(recipients.map((to) => [to, Array<number>(atMost.texts).fill(now)]));
  }
}

/** An error that is thrown on purpose is thrown before a request begins. */
function outcomeAfter(cause: unknown): Outcome {
  const { kind, message: error, errorCode, hint } = failureIn(cause, false);
  const failure = { kind, error, errorCode };
  return kind === "fault"
    ? { kind: "uncertain", failure }
    : { kind: "unsent", failure, retry: { kind: "never" }, hint };
}
