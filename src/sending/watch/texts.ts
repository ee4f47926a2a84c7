import { type AtMost, isList, type WatchOptions } from "../options.ts";
import { defaultRetries, defaultTimeout } from "../limits.ts";
import { isLive, type Mode } from "../../service/credentials.ts";
import type { Outcome } from "../../message/outcome.ts";
import { invalidOption, usageError } from "../../errors.ts";
import { type HoldOfAll, holdOfAll } from "../../guards/guard.ts";
import { openGuards, type OpenGuards, readingLists } from "../../guards/open.ts";
import { readZone, type Zone } from "../../guards/hours.ts";
import type { Country } from "../../message/number.ts";
import { failureIn } from "../../terminal/failure.ts";
import { modeText } from "../../terminal/text.ts";
import type { Context } from "../../terminal/context.ts";
import { countryOf, profileOf, zoneHere } from "../../profiles/defaults.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import { groupFile } from "../../recipients/groups.ts";
import { prepareMessage } from "../../recipients/message.ts";
import { prepareMessages } from "../../recipients/messages.ts";
import { openRecipients } from "../../recipients/read.ts";
import { openSource } from "../../recipients/source.ts";
import { openDispatcher } from "../../service/connection.ts";
import { recordedMode } from "../destination.ts";
import { prepare, sendPrepared } from "../message.ts";
import type { PreparedMessage } from "../single.ts";
import { warningTexts } from "../views/note-texts.ts";
import { requireRoomBehind } from "./wording.ts";

export interface Texts {
  readonly recipients: readonly string[];
  readonly zone: Zone;
  readonly mode: Mode;
  /** What pays for them, and whether a phone receives them. */
  readonly payment: string;
  readonly source: string;
  /** Why no text may go at this time by the clock on the wall. */
  readonly holdAt: (wall: number) => HoldOfAll | undefined;
  /** When earlier watches told each recipient, the earliest first, by `host.now`: a restart must not pass --at-most. */
  readonly toldBefore: (atMost: AtMost) => Promise<readonly (readonly number[])[]>;
  /** Sends a text as `sms send` does, and records it. Never throws. */
  readonly send: (to: string, text: string) => Promise<Outcome>;
  readonly close: () => Promise<void>;
}

/** Stands for the text of a watch while it is not known. */
const anyText = "watch";

/** Checks all that a text needs. Throws a usage error if nothing could be sent. */
export async function openTexts(options: WatchOptions, context: Context): Promise<Texts> {
  const { host } = context;
  // One line says what is waited for, whatever is sent meanwhile.
  const presenter = {
    ...context.presenter,
    showsWaits: false,
    waitFor: <T>(_: unknown, work: () => Promise<T>) => work(),
  };
  const { message: words, segments } = options;
  if (words === "-")
    throw invalidOption("--message - and the lines are both standard input", "give the words themselves");
  if (words !== undefined) requireRoomBehind(words, segments);
  const { own, chosen, defaults } = profileOf(options, host);
  const country = countryOf(options.country, defaults);
  const guards = await presenter.waitFor(readingLists, () => openGuards({ options, own, chosen, country, host }));
  const numbers = await readRecipients(options.to, guards, country, context);
  const standIn = words === undefined ? ({ message: anyText, literal: true } as const) : {};
  const asked = { ...options, ...standIn, timeout: defaultTimeout, retries: defaultRetries };
  const open = (to: string, way: Context) => prepare({ ...asked, to: [to] }, way, { guards });
  let prepared = await open(numbers[0], { ...context, presenter });
  const recipients = numbers.length === 1 ? [prepared.message.to] : numbers;
  const { destination } = prepared;
  const { address, proxy, mode } = destination;
  let isStale = false;
  // An upgrade may replace the files of this program while it runs.
  await (await openDispatcher(address.origin, proxy)).destroy();
  const send = async (to: string, text: string): Promise<Outcome> => {
    let outcome: Outcome | undefined;
    try {
      if (isStale) {
        const again = await open(to, { ...context, presenter: { ...presenter, warn: () => {}, note: () => {} } });
        await prepared.destination.close();
        prepared = again;
      }
      isStale = false;
      const { message } = await prepareMessage({ ...prepared.request, to, text, literal: true, guards: [] });
      await sendPrepared(
        { ...prepared, message, isWatch: true },
        { options: asked, context: { ...context, presenter } },
        (sent) => {
          ({ outcome } = sent);
          return "accepted";
        },
      );
    } catch (error) {
      outcome ??= outcomeAfter(error);
    }
    if (outcome === undefined) throw new Error("a text has no outcome");
    // The key may have been rotated since.
    if (outcome.kind !== "accepted" && outcome.failure.kind === "unauthorized") isStale = true;
    return outcome;
  };
  return {
    recipients,
    zone: readZone(chosen?.profile?.defaults.zone ?? zoneHere(host), "the time zone"),
    mode,
    payment: modeText(destination),
    source: credentialsSource(destination),
    holdAt: (wall) => holdOfAll(prepared.guards, wall),
    toldBefore: (atMost) => toldBefore(prepared, recipients, atMost, context),
    send,
    close: () => prepared.destination.close(),
  };
}

async function toldBefore(
  { history, destination }: PreparedMessage,
  recipients: readonly string[],
  { texts: most, timeMs, words }: AtMost,
  { host, presenter }: Context,
): Promise<readonly (readonly number[])[]> {
  const [now, wall] = [host.now(), host.wallClock()];
  if (history === undefined) {
    presenter.trace("Warning: no history is kept, so a restart forgets what --at-most has counted");
    return [];
  }
  try {
    await history.requireWritable(new Date(wall).toISOString());
    const recorded = recordedMode(destination);
    const told = recipients.map((): number[] => []);
    await history.eachRecent(wall - timeMs, ({ kind, mode, outcome, to, at }) => {
      const mayBeTold = kind === "watch" && (outcome === "accepted" || outcome === "uncertain");
      const isSameKind = mode === recorded || (isLive(mode) && isLive(recorded));
      // What is in the future was told before the clock was set back.
      if (mayBeTold && isSameKind) told[recipients.indexOf(to)]?.push(now - Math.max(0, wall - Date.parse(at)));
    });
    return told.map((times) => times.toSorted((a, b) => a - b));
  } catch (error) {
    const { message, hint } = failureIn(error, false);
    const counted = `--at-most ${words} counts as used up now: lines are gathered`;
    const way = hint === undefined ? "" : `. Next: ${hint}`;
    presenter.trace(`Warning: the history cannot be read and written (${message}), so ${counted}${way}`);
    return recipients.map(() => Array<number>(most).fill(now));
  }
}

/** What is thrown on purpose is thrown before a request begins. */
function outcomeAfter(cause: unknown): Outcome {
  const { kind, message: error, errorCode, hint } = failureIn(cause, false);
  const failure = { kind, error, errorCode };
  return kind === "fault"
    ? { kind: "uncertain", failure }
    : { kind: "unsent", failure, retry: { kind: "never" }, hint };
}

/** Returns the numbers of --to and of its lists, each once. Throws a usage error that lists all faults. */
async function readRecipients(
  to: readonly string[] = [],
  { ofRows: guards }: OpenGuards,
  country: Country | undefined,
  { host, presenter }: Context,
): Promise<readonly [string, ...string[]]> {
  const [single] = to;
  if (single === undefined)
    throw usageError("NO_RECIPIENT", "there is no recipient", "for example: `sms watch --to +2547XXXXXXXX`");
  // A single number is checked with all the rest.
  if (to.length === 1 && !isList(single)) return [single];
  const numbers = new Set<string>();
  const read = async (typed: readonly string[], list?: string) => {
    const source = list === undefined ? undefined : openSource(groupFile(list.slice(1), host), host, "--to");
    const recipients = openRecipients(typed, source, { country });
    const request = { recipients, country, guards, text: anyText, allowDuplicates: true };
    const { messages, notes } = prepareMessages(request);
    for await (const { to: number, held } of messages) if (held === undefined) numbers.add(number);
    // A watch sends no text of a list.
    notes.ownTexts = 0;
    for (const warning of [...warningTexts(notes), ...notes.firstSkipped]) presenter.warn(warning);
  };
  const typed = to.filter((name) => !isList(name));
  if (typed.length > 0) await read(typed);
  for (const list of new Set(to.filter(isList))) await read([], list);
  const [first, ...others] = numbers;
  if (first === undefined) throw usageError("NO_RECIPIENT", "no recipient of --to is left", "see who was left out");
  return [first, ...others];
}
