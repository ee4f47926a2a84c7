import type { NotifyOptions } from "../options.ts";
import { hostname } from "node:os";
import { basename } from "node:path";
import { durationText } from "../../words/duration.ts";
import { type EndingKind, interruptionError, usageError } from "../../errors.ts";
import { countSegments } from "../../message/segments.ts";
import { parseTemplate, renderTemplate, requireText } from "../../message/text.ts";
import { type CheckedNumber, checkMessage, checkNumber } from "../../recipients/one-message.ts";
import { requireOneNumber } from "../../recipients/numbers.ts";
import { variable } from "../../profiles/environment.ts";
import { loadClient } from "../../service/connection.ts";
import type { Context } from "../../terminal/context.ts";
import { contextFor, failureIn } from "../../terminal/presenter.ts";
import { readText } from "../../terminal/input.ts";
import { confirmNumber, type CountedMessage, requireSendable } from "../message/allowed.ts";
import { deliverMessage, noteDelivery } from "../message/delivery.ts";
import { showPlan } from "../message/dry-run.ts";
import { report } from "../message/receipt.ts";
import { connect, type LocalSend, openSend, type Send } from "../opening.ts";
import { cutTexts, numberTexts } from "../views/note-texts.ts";
import { type CommandEnd, runChildCommand } from "./child-command.ts";

/** The exit code is the command's in any case. Throws before the command starts if nothing could be sent. */
export async function notify(
  [path, ...words]: readonly [string, ...string[]],
  options: NotifyOptions,
  { host, redactor }: Context,
): Promise<EndingKind | number> {
  // Standard output belongs to the command.
  const context = await contextFor({ ...host, stdout: host.stderr }, redactor, options);
  const { presenter } = context;
  const template = await templateOf(options, context);
  const command = basename(path);
  const textFor = (exitCode: number, ms: number) => endText(template, command, exitCode, ms);
  // Once its fields are filled, the text is sent as it is.
  const withoutText = { ...options, to: [], message: undefined, messageFile: undefined, literal: true } as const;
  const local = await openSend(withoutText, context);
  const to = await recipientOf(options, local);
  const coming = await comingMessage(template, command, to, local);
  await using send = await connect(local);
  if (send.kind === "dry-run") {
    presenter.note(`Dry run: ${command} was not run. If it ended with 0 at once:`);
    return await showPlan({ ...(await checkMessage(local, to, textFor(0, 0))), onceText: coming.onceText }, send);
  }
  if ((await send.once?.find(coming)) === undefined) {
    // The command may end at a time that the hours allow, and on a day that has room for the message.
    await requireSendable(coming, send, true);
    await confirmNumber(coming, send, true);
  }
  await loadClient(send.destination.address.origin, send.destination.proxy);
  const { stop } = host.interruption();
  if (stop.aborted) throw interruptionError(stop, "unsent");
  const began = host.now();
  const end = await runChildCommand([path, ...words], host.environment, host);
  const ms = host.now() - began;
  if (end.kind === "not-started")
    presenter.always(`Error: cannot run ${JSON.stringify(path)}: ${end.reason}. The command was not run.`);
  if (end.kind === "ended" && end.isInterrupted)
    presenter.note("Nothing is sent, because the command was interrupted.");
  else if (isWanted(end, ms, options)) await sendEnd(coming, textFor(end.exitCode, ms), send);
  return end.exitCode;
}

/** Throws a usage error if nobody is named, or a list that is not one number. */
async function recipientOf(options: NotifyOptions, { profile, context }: LocalSend): Promise<string> {
  const to = options.to ?? variable(context.host.environment, "SMS_NOTIFY_TO") ?? profile.defaults.notifyTo;
  if (to !== undefined) return requireOneNumber(to, context);
  const hint =
    "for example: `sms notify --to +2547XXXXXXXX -- make`; `sms profiles set notify-to NUMBER` keeps the number";
  throw usageError("NO_RECIPIENT", "there is no recipient", hint);
}

async function templateOf(options: NotifyOptions, context: Context): Promise<string | undefined> {
  const { message, messageFile } = options;
  if (message === undefined && messageFile === undefined) return undefined;
  if (message === "-" || messageFile === "-") {
    const hint = "give the text with --message or in a file, or leave it out";
    throw usageError("AMBIGUOUS_INPUT", "standard input belongs to the command after --", hint);
  }
  return readText(options, context);
}

const commandFields = ["command", "exit", "duration", "host"];

/** Throws a usage error for an unknown field. */
function endText(template: string | undefined, command: string, exitCode: number, ms: number): string {
  const duration = durationText(ms);
  const host = hostname();
  if (template === undefined)
    return `${command} ${exitCode === 0 ? "succeeded" : `failed (${exitCode})`} after ${duration} on ${host}`;
  const rendering = renderTemplate(parseTemplate(template), { command, exit: String(exitCode), duration, host });
  if (rendering.kind === "text") return rendering.text;
  throw unknownField(rendering.field);
}

function unknownField(name: string): Error {
  return usageError(
    "UNKNOWN_FIELD",
    `the message contains {{${name}}}, which is not a field of a command`,
    "the fields are {{command}}, {{exit}}, {{duration}} and {{host}}",
  );
}

function isWanted(end: CommandEnd, ms: number, { only, longerThan: leastMs = 0 }: NotifyOptions): boolean {
  // Whoever asks for failures is told, whatever --longer-than says.
  if (end.kind === "not-started") return only === "failure";
  if (only !== undefined && only !== (end.exitCode === 0 ? "success" : "failure")) return false;
  return ms >= leastMs;
}

/** This much is known before the command ends. Throws a usage error if no end of the command makes a message that can be sent. */
async function comingMessage(
  template: string | undefined,
  command: string,
  to: string,
  local: LocalSend,
): Promise<CheckedNumber & CountedMessage> {
  if (template !== undefined) refuseUnknownFields(template);
  // No other end of the command has a shorter text.
  const text = endText(template, command, 0, 0);
  const least = requireText(local.shared.cut?.(text).text ?? text);
  const number = await checkNumber(local, to);
  for (const warning of numberTexts(number.notes)) local.context.presenter.warn(warning);
  return {
    ...local.shared.usual,
    ...number,
    line: 1,
    text: "",
    onceText: template ?? `{{command}}: ${command}`,
    segments: countSegments(least).segments,
  };
}

/** A default is no reason to take one. */
function refuseUnknownFields(template: string): void {
  const unknown = parseTemplate(template).fields.find(({ key }) => !commandFields.includes(key));
  if (unknown !== undefined) throw unknownField(unknown.name);
}

/** Nothing may hide how the command ended, so a failure is only reported. */
async function sendEnd({ to, onceText }: CountedMessage, text: string, send: Send): Promise<void> {
  const { presenter } = send.context;
  try {
    const message = { ...(await checkMessage(send, to, text)), onceText };
    for (const warning of cutTexts(message.notes)) presenter.warn(warning);
    const delivery = await deliverMessage(message, send);
    report(delivery, message, send);
    await noteDelivery(delivery, send);
  } catch (error) {
    presenter.fail(failureIn(error, true));
  }
}
