import { usageError } from "../../errors.ts";
import type { Guard } from "../../guards/guard.ts";
import { type OpenGuards, requireAllowed } from "../../guards/open.ts";
import { ageInDays } from "../../key.ts";
import { warnOfRotation } from "../../profiles/defaults.ts";
import { historyOf, openRecord } from "../../profiles/record.ts";
import type { Recipient } from "../../recipients/check.ts";
import { type MessageRequest, prepareMessage } from "../../recipients/message.ts";
import type { HistoryKeeper } from "../../record/history.ts";
import { isLive } from "../../service/credentials.ts";
import type { Context } from "../../terminal/context.ts";
import { readText } from "../../terminal/input.ts";
import { beginSend, type RealSend, addDestination, type Send } from "../opening.ts";
import type { SendOptions } from "../options.ts";
import { cutTexts, warningTexts } from "../views/note-texts.ts";
import type { Once } from "./once.ts";

export interface MessageSend extends Send {
  readonly isWatch?: boolean;
  readonly request: MessageRequest;
  readonly message: Recipient;
  readonly allGuards: readonly Guard[];
  readonly history: HistoryKeeper | undefined;
  readonly once: Once | undefined;
}

export type RealMessageSend = MessageSend & RealSend;

/** `--once` compares `template`, if that is not the text itself. Throws if nothing could be sent. */
export async function prepare(
  options: SendOptions,
  context: Context,
  template?: string,
  guards?: OpenGuards,
): Promise<MessageSend> {
  const { host, presenter } = context;
  const [to] = options.to ?? [];
  if (to === undefined) {
    const hint = `for example: \`sms send --to +2547XXXXXXXX --message "Deploy finished"\``;
    throw usageError("NO_RECIPIENT", "there is no recipient", hint);
  }
  const local = await beginSend(options, context, guards);
  const { payingProfile } = local;
  const request = { ...local.shared, to, text: await readText(options, context), literal: options.literal };
  // A message sent under a key is reported even if the guards would hold the message back now.
  const ofRow = options.once === undefined ? local.guards.ofRows : [];
  const { message, notes } = await prepareMessage({ ...request, guards: ofRow });
  // The text about a command changes once the command has run.
  const cuts = template === undefined ? cutTexts(notes) : [];
  for (const warning of [...warningTexts(notes), ...cuts]) presenter.warn(warning);
  // Nobody pays in a sandbox of this process, so nothing of it is kept.
  const history = payingProfile && (await historyOf(host, payingProfile));
  if (payingProfile !== undefined) await openRecord(host, payingProfile)?.requireWritable();
  const send = await addDestination(local);
  try {
    warnOfAge(send);
    const { guards: allGuards } = await local.guards.openRest(send.destination);
    const terms = { ...message, text: template ?? message.text };
    const once = options.once === undefined ? undefined : await (await import("./once.ts")).openOnce(send, terms);
    return { ...send, request, message, allGuards, history, once };
  } catch (error) {
    await send[Symbol.asyncDispose]();
    throw error;
  }
}

/** A script cannot rotate a key, and its output should not change with the date. */
function warnOfAge({ destination, options, context: { host, presenter } }: Send): void {
  const key = destination?.key;
  if (key === undefined || host.terminal() === undefined) return;
  const ageDays = ageInDays(key.added, host.now());
  warnOfRotation(key.name, ageDays, options.profile, presenter);
}

/** Throws if the guards do not allow the message now, or if the message `isLater` and they never allow it. */
export function requireSendable(
  { message: { to, segments }, allGuards, options: { wait }, context }: MessageSend,
  isLater = false,
): Promise<void> {
  const cost = { segments, exposure: 0, first: isLater ? 0 : segments, longest: segments };
  return requireAllowed(allGuards, { to, wait: wait && !isLater, isLater, ...cost }, context.host);
}

/** `requireFree` throws for a message that is refused anyway. Throws a usage error if the answer is no. */
export async function confirmNumber(
  { message, destination, once, options, context }: RealMessageSend,
  requireFree: () => void | Promise<void>,
): Promise<void> {
  if (message.assigned || !isLive(destination.mode) || options.yes) return;
  const prompter = (await import("../../terminal/prompt.ts")).prompterFor(context.host, options, "sent");
  if (prompter === undefined || (await once?.find()) !== undefined) return;
  await requireFree();
  await prompter.confirm(`${message.to} may not exist. Send to it?`);
}
