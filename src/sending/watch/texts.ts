import { isList, type WatchOptions } from "../options.ts";
import { defaultRetries, defaultTimeout } from "../limits.ts";
import { isLive, type Mode } from "../../service/credentials.ts";
import type { Outcome } from "../../message/outcome.ts";
import { fileError, invalidOption, SmsError, usageError } from "../../errors.ts";
import { holdOfAll } from "../../guards/guard.ts";
import { latestEntries } from "../../record/history.ts";
import { readZone, type Zone } from "../../guards/hours.ts";
import type { Host } from "../../host.ts";
import { modeText } from "../../terminal/text.ts";
import { credentialsSource } from "../../profiles/resolve.ts";
import { prepareMessage } from "../../recipients/message.ts";
import { prepareMessages } from "../../recipients/messages.ts";
import { openRecipients } from "../../recipients/read.ts";
import { openSource } from "../../recipients/source.ts";
import { openDispatcher } from "../../service/connection.ts";
import { requireRoomBehind } from "./wording.ts";
import { prepare, sendPrepared } from "../message.ts";
import type { PreparedMessage } from "../single.ts";
import { warningTexts } from "../views/note-texts.ts";
import type { Context } from "../../terminal/context.ts";
import { recordedMode } from "../destination.ts";
import { groupFile } from "../../recipients/groups.ts";
import { openGuards, readingLists } from "../../guards/open.ts";
import { countryOf, profileOf, zoneHere } from "../../profiles/defaults.ts";

export interface Texts {
  readonly recipients: readonly string[];
  readonly zone: Zone;
  readonly mode: Mode;
  /** What pays for them, and whether a phone receives them. */
  readonly payment: string;
  readonly source: string;
  /** Whether the hours allow a text at this time by the clock on the wall. */
  readonly isOpen: (wall: number) => boolean;
  /**
   * Returns when each recipient was told by watches since a time, the earliest first; undefined if no history is kept.
   * Milliseconds since 1970. Throws if the history cannot be read or written.
   */
  readonly toldSince: (since: number) => Promise<readonly (readonly number[])[] | undefined>;
  /** Sends a text as `sms send` does, and records it. What throws before its request began is unsent. */
  readonly send: (to: string, text: string) => Promise<Outcome>;
  readonly close: () => Promise<void>;
}

/** Stands for the text of a watch while it is not known. */
const anyText = "watch";

/** Checks all that a text needs. Throws a usage error if nothing could be sent. */
export async function openTexts(options: WatchOptions, context: Context): Promise<Texts> {
  const { host } = context;
  const numbers = await readRecipients(options, context);
  const [first = ""] = numbers;
  const { message: words, segments } = options;
  if (words === "-")
    throw invalidOption("--message - and the lines are both standard input", "give the words themselves");
  if (words !== undefined) requireRoomBehind(words, segments);
  const standIn = words === undefined ? ({ message: anyText, literal: true } as const) : {};
  const asked = { ...options, to: [first], ...standIn, timeout: defaultTimeout, retries: defaultRetries };
  let prepared = await prepare(asked, context);
  const { history } = prepared;
  const { mode } = prepared.destination;
  const recorded = recordedMode(prepared.destination);
  const recipients = numbers.length === 1 ? [prepared.message.to] : numbers;
  let isStale = false;
  // An upgrade may replace the files of this program while it runs.
  const { address, proxy } = prepared.destination;
  await (await openDispatcher(address.origin, proxy)).destroy();
  const deliver = async (to: string, text: string): Promise<Outcome> => {
    let outcome: Outcome | undefined;
    try {
      if (isStale) prepared = await prepareAgain({ ...asked, to: [to] }, prepared, context);
      isStale = false;
      const { message } = await prepareMessage({ ...prepared.request, to, text, literal: true, guards: [] });
      const now: PreparedMessage = { ...prepared, message, isWatch: true };
      await sendPrepared(now, { options: asked, context }, (sent) => {
        ({ outcome } = sent);
        return "accepted";
      });
    } catch (error) {
      outcome ??= outcomeOf(error);
    }
    if (outcome === undefined) throw new Error("a text has no outcome");
    // The key may have been rotated since.
    if (outcome.kind !== "accepted" && outcome.failure.kind === "unauthorized") isStale = true;
    return outcome;
  };
  return {
    recipients,
    zone: zoneOf(prepared, host),
    mode,
    payment: modeText(prepared.destination),
    source: credentialsSource(prepared.destination),
    isOpen: (wall) => holdOfAll(prepared.guards, wall) === undefined,
    toldSince: async (since) => {
      if (history === undefined) return undefined;
      await history.requireWritable(new Date(host.wallClock()).toISOString());
      const { entries } = await latestEntries(history, { since, limit: Infinity }, () => {});
      const told = new Map(recipients.map((to): [string, number[]] => [to, []]));
      for (const { kind, mode: ofEntry, outcome, to, at } of entries) {
        const mayBeTold = outcome === "accepted" || outcome === "uncertain";
        const isSameKind = ofEntry === recorded || (isLive(ofEntry) && isLive(recorded));
        if (kind === "watch" && isSameKind && mayBeTold) told.get(to)?.unshift(Date.parse(at));
      }
      return [...told.values()];
    },
    send: deliver,
    close: () => prepared.destination.close(),
  };
}

async function prepareAgain(
  asked: Parameters<typeof prepare>[0],
  { destination }: PreparedMessage,
  context: Context,
): Promise<PreparedMessage> {
  const presenter = { ...context.presenter, warn: () => {}, note: () => {} };
  const prepared = await prepare(asked, { ...context, presenter });
  await destination.close();
  return prepared;
}

/** What is thrown on purpose is thrown before a request begins. */
function outcomeOf(error: unknown): Outcome {
  const known = error instanceof SmsError ? error : fileError(error);
  if (known === undefined) {
    const message = `sms itself failed: ${error instanceof Error ? error.message : String(error)}`;
    return { kind: "uncertain", failure: { kind: "fault", error: message, errorCode: "FAULT" } };
  }
  const { kind, message, errorCode, hint } = known;
  const failure = { kind, error: message, errorCode };
  return { kind: "unsent", failure, retry: { kind: "never" }, ...(hint !== undefined && { hint }) };
}

/** Returns the zone of the profile, else of this machine, else UTC. */
function zoneOf({ chosen }: PreparedMessage, host: Host): Zone {
  return readZone(chosen?.profile?.defaults.zone ?? zoneHere(host), "the time zone");
}

/** Returns the numbers of --to and of its lists, each once. Throws a usage error that lists all faults. */
async function readRecipients(options: WatchOptions, { host, presenter }: Context): Promise<readonly string[]> {
  const { to = [], country: named } = options;
  if (to.length === 0)
    throw usageError("NO_RECIPIENT", "there is no recipient", "for example: `sms watch --to +2547XXXXXXXX`");
  // A single number is checked with all the rest.
  if (to.length === 1 && !to.some(isList)) return to;
  const { defaults, ...profiles } = profileOf(options, host);
  const country = countryOf(named, defaults);
  const asked = { options, ...profiles, country, host };
  const { ofRows: guards } = await presenter.waitFor(readingLists, () => openGuards(asked));
  const numbers = new Set<string>();
  const read = async (list: string | undefined, typed: readonly string[]) => {
    const source = list === undefined ? undefined : openSource(groupFile(list.slice(1), host), host, "--to");
    const recipients = openRecipients(typed, source, { country });
    const { messages, notes } = prepareMessages({ recipients, country, guards, text: anyText });
    for await (const { to: number, held } of messages) if (held === undefined) numbers.add(number);
    // A watch sends no text of a list.
    notes.ownTexts = 0;
    for (const warning of warningTexts(notes)) presenter.warn(warning);
    for (const one of notes.firstSkipped) presenter.warn(one);
  };
  const typed = to.filter((one) => !isList(one));
  if (typed.length > 0) await read(undefined, typed);
  for (const list of new Set(to.filter(isList))) await read(list, []);
  if (numbers.size > 0) return [...numbers];
  throw usageError("NO_RECIPIENT", "no recipient of --to is left", "see who was left out");
}
