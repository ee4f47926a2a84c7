import type { NotifyOptions } from "../options.ts";
import { isList } from "../../recipients/groups.ts";
import { defaultRetries, defaultTimeout } from "../limits.ts";
import { hostname } from "node:os";
import { basename } from "node:path";
import { durationText } from "../../words/duration.ts";
import { type EndingKind, interruption, invalidOption, usageError } from "../../errors.ts";
import { parseTemplate, renderTemplate } from "../../message/text.ts";
import { prepareMessage } from "../../recipients/message.ts";
import { openDispatcher } from "../../service/connection.ts";
import type { Context } from "../../terminal/context.ts";
import { contextFor, failureIn } from "../../terminal/presenter.ts";
import { readText } from "../../terminal/input.ts";
import { deliverMessage, noteSettled } from "../message/delivery.ts";
import { showPlan } from "../message/dry-run.ts";
import { confirmNumber, prepare, type RealMessageSend, requireSendable } from "../message/prepared.ts";
import { report } from "../message/receipt.ts";
import { isToBeSent } from "../opening.ts";
import { cutTexts } from "../views/note-texts.ts";
import { type CommandEnd, runChildCommand } from "./child-command.ts";

/** The exit code is the command's in any case. Throws before the command starts if nothing could be sent. */
export async function notify(
  [path, ...words]: readonly [string, ...string[]],
  options: NotifyOptions,
  { host, redactor }: Context,
): Promise<EndingKind | number> {
  // Standard output belongs to the command.
  const context = await contextFor({ ...host, stdout: host.stderr }, redactor, options);
  const template = await templateOf(options, context);
  const command = basename(path);
  const textFor = (exitCode: number, ms: number) => endText(template, command, exitCode, ms);
  const { messageFile: _, ...others } = options;
  const sendOptions = {
    ...others,
    to: [recipientOf(options)],
    message: textFor(0, 0),
    // Once its fields are filled, the text is sent as it is.
    literal: true,
    timeout: defaultTimeout,
    retries: defaultRetries,
  } as const;
  await using prepared = await prepare(sendOptions, context, template ?? `{{command}}: ${command}`);
  if (!isToBeSent(prepared)) {
    context.presenter.note(`Dry run: ${command} was not run. If it ended with 0 at once:`);
    return await showPlan(prepared);
  }
  if ((await prepared.once?.find()) === undefined) {
    // The command may end at a time that the hours allow, and on a day that has room for the message.
    await requireSendable(prepared, true);
    await confirmNumber(prepared, () => {});
  }
  // The command may be an upgrade that replaces the files of this program.
  const { address, proxy } = prepared.destination;
  await (await openDispatcher(address.origin, proxy)).destroy();
  const { stop } = host.interruption();
  if (stop.aborted) throw interruption(stop, "unsent");
  const began = host.now();
  const end = await runChildCommand([path, ...words], host.environment, host);
  const ms = host.now() - began;
  const { presenter } = context;
  if (end.kind === "not-started")
    presenter.trace(`Error: cannot run ${JSON.stringify(path)}: ${end.reason}. The command was not run.`);
  if (end.kind === "ended" && end.isInterrupted)
    presenter.note("Nothing is sent, because the command was interrupted.");
  else if (isWanted(end, ms, options)) await tell(prepared, textFor(end.exitCode, ms));
  return end.exitCode;
}

function recipientOf({ to }: NotifyOptions): string {
  if (to === undefined)
    throw usageError("NO_RECIPIENT", "there is no recipient", "for example: `sms notify --to +2547XXXXXXXX -- make`");
  if (isList(to)) throw invalidOption(`notify texts one number, and ${to} is a list`, "give the number with --to");
  return to;
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

/** Throws a usage error for an unknown field. */
function endText(template: string | undefined, command: string, exitCode: number, ms: number): string {
  const duration = durationText(ms);
  const host = hostname();
  if (template === undefined)
    return `${command} ${exitCode === 0 ? "succeeded" : `failed (${exitCode})`} after ${duration} on ${host}`;
  const rendering = renderTemplate(parseTemplate(template), { command, exit: String(exitCode), duration, host });
  if (rendering.kind === "text") return rendering.text;
  throw usageError(
    "UNKNOWN_FIELD",
    `the message contains {{${rendering.field}}}, which is not a field of a command`,
    "the fields are {{command}}, {{exit}}, {{duration}} and {{host}}",
  );
}

function isWanted(end: CommandEnd, ms: number, { only, longerThanMs = 0 }: NotifyOptions): boolean {
  if (end.kind === "not-started") return only === "failure";
  if (only !== undefined && only !== (end.exitCode === 0 ? "success" : "failure")) return false;
  return ms >= longerThanMs;
}

/** Nothing may hide how the command ended, so a failure is only reported. */
async function tell(prepared: RealMessageSend, text: string): Promise<void> {
  const { presenter } = prepared.context;
  try {
    const { message, notes } = await prepareMessage({ ...prepared.request, text, guards: [] });
    for (const warning of cutTexts(notes)) presenter.warn(warning);
    const ready = { ...prepared, message };
    const delivery = await deliverMessage(ready);
    report(delivery, ready);
    await noteSettled(delivery, ready);
  } catch (error) {
    presenter.fail(failureIn(error, true));
  }
}
