import type { WatchOptions } from "../options.ts";
import { defaultRetries, defaultTimeout } from "../limits.ts";
import { isLive } from "../../service/credentials.ts";
import type { Entry } from "../../record/history.ts";
import type { Outcome } from "../../message/outcome.ts";
import { invalidOption, usageError } from "../../errors.ts";
import { holdOfAll } from "../../guards/guard.ts";
import { failureIn } from "../../terminal/failure.ts";
import type { Context } from "../../terminal/context.ts";
import { prepareMessage } from "../../recipients/message.ts";
import { numbersOf } from "../../recipients/numbers.ts";
import { openDispatcher } from "../../service/connection.ts";
import { recordedMode } from "../destination.ts";
import { deliverMessage, noteSent } from "../message/delivery.ts";
import { prepare, type ReadyMessage } from "../message/prepared.ts";
import { beginSend, isReal } from "../opening.ts";
import { warningTexts } from "../views/note-texts.ts";
import { requireRoomBehind } from "./wording.ts";

export type Texts = Awaited<ReturnType<typeof openTexts>>;

const anyText = "watch";

/** Throws a usage error if nothing could be sent. */
export async function openTexts(options: WatchOptions, context: Context) {
  const { host } = context;
  // The line that the watch shows stays while texts are sent.
  const waitFor = <T>(_: unknown, work: () => Promise<T>) => work();
  const warned = new Set<string>();
  // The first recipient is checked twice.
  const warn = (text: string) => {
    if (!warned.has(text)) context.presenter.warn(text);
    warned.add(text);
  };
  const inSilence = { ...context, presenter: { ...context.presenter, showsWaits: false, waitFor, warn } };
  const { to: names = [], message: words, segments, atMost } = options;
  if (words === "-")
    throw invalidOption("--message - and the lines are both standard input", "give the words themselves");
  if (words !== undefined) requireRoomBehind(words, segments);
  const standIn = words === undefined ? ({ message: anyText, literal: true } as const) : {};
  // A dry run says what would pay as well.
  const sendOptions = { ...options, ...standIn, dryRun: undefined, timeout: defaultTimeout, retries: defaultRetries };
  const { chosen, guards, shared } = await beginSend(sendOptions, context);
  if (names.length === 0)
    throw usageError("NO_RECIPIENT", "there is no recipient", "for example: `sms watch --to +2547XXXXXXXX`");
  const recipients = await numbersOf(names, guards.ofRows, shared.country, host, (notes) => {
    for (const text of [...warningTexts(notes), ...notes.firstSkipped]) inSilence.presenter.warn(text);
  });
  const open = async (to: string, way: Context): Promise<ReadyMessage> => {
    const opened = await prepare({ ...sendOptions, to: [to] }, way, { guards });
    if (!isReal(opened)) throw new Error("only a dry run has no destination");
    return opened;
  };
  let prepared = await open(recipients[0], inSilence);
  const { destination, history } = prepared;
  const { address, proxy } = destination;
  // An upgrade may replace the files of this program while it runs.
  await (await openDispatcher(address.origin, proxy)).destroy();
  let isStale = false;
  return {
    recipients,
    destination,
    zone: chosen?.profile?.defaults.zone,
    holdAt: (wall: number) => holdOfAll(prepared.allGuards, wall),
    /** The times are by `host.now`, the earliest first: a restart must not pass --at-most. */
    toldBefore: async (): Promise<ReadonlyMap<string, readonly number[]>> => {
      const { trace } = context.presenter;
      const [now, wall] = [host.now(), host.wallClock()];
      const told = new Map<string, number[]>();
      if (history === undefined) trace("Warning: no history is kept, so a restart forgets what --at-most has counted");
      try {
        await history?.requireWritable(new Date(wall).toISOString());
        const recorded = recordedMode(destination);
        const isTold = ({ kind, mode, outcome }: Entry) =>
          kind === "watch" &&
          (outcome === "accepted" || outcome === "uncertain") &&
          (mode === recorded || (isLive(mode) && isLive(recorded)));
        for await (const entries of history?.newest(wall - atMost.timeMs, { isOfSingles: true }) ?? []) {
          for (const { to, at } of entries.filter(isTold)) {
            if (!told.has(to)) told.set(to, []);
            // A text in the future was sent before the clock was set back.
            told.get(to)?.unshift(now - Math.max(0, wall - Date.parse(at)));
          }
        }
        return told;
      } catch (error) {
        const { message, hint = "" } = failureIn(error, false);
        const counted = `--at-most ${atMost.words} counts as used up now: lines are gathered`;
        trace(`Warning: the history cannot be read and written (${message}), so ${counted}. ${hint}`.trimEnd());
        return new Map(recipients.map((to) => [to, Array<number>(atMost.texts).fill(now)]));
      }
    },
    /** The text goes as by `sms send`, and is recorded. Never throws. */
    send: async (to: string, text: string): Promise<Outcome> => {
      try {
        if (isStale) {
          const { presenter } = inSilence;
          const again = await open(to, { ...context, presenter: { ...presenter, warn: () => {}, note: () => {} } });
          await prepared.destination.close();
          prepared = { ...again, context: inSilence };
          isStale = false;
        }
        const { message } = await prepareMessage({ ...prepared.request, to, text, literal: true, guards: [] });
        const sending = { ...prepared, message, isWatch: true };
        const sent = await deliverMessage(sending);
        await noteSent(sent, sending);
        const { outcome } = sent;
        // The key may have been rotated since.
        if (outcome.kind !== "accepted" && outcome.failure.kind === "unauthorized") isStale = true;
        return outcome;
      } catch (error) {
        return outcomeAfter(error);
      }
    },
    close: () => prepared.destination.close(),
  };
}

/** An error that is thrown on purpose is thrown before a request begins. */
function outcomeAfter(cause: unknown): Outcome {
  const { kind, message: error, errorCode, hint } = failureIn(cause, false);
  const failure = { kind, error, errorCode };
  return kind === "fault"
    ? { kind: "uncertain", failure }
    : { kind: "unsent", failure, retry: { kind: "never" }, hint };
}
