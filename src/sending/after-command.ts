import type { SendOptions } from "./options.ts";
import { failureIn } from "../terminal/failure.ts";
import { hostname } from "node:os";
import { basename } from "node:path";
import { commandText } from "./command-end.ts";
import { type EndingKind, interruption, usageError } from "../errors.ts";
import { prepareMessage } from "../recipients/message.ts";
import { openDispatcher } from "../service/connection.ts";
import { type CommandEnd, runChildCommand } from "./child-command.ts";
import { type Context, contextFor } from "../terminal/context.ts";
import { readText } from "../terminal/input.ts";
import { cutTexts } from "./views/note-texts.ts";
import { confirmNumber, prepare, sendPrepared } from "./message.ts";
import { showPlan } from "./dry-run.ts";
import { type PreparedMessage, requireSendable } from "./single.ts";

/**
 * Runs a command, and sends a message that says how it ended. Returns the exit code of the command, whether or not the
 * message was sent. Throws before the command starts if nothing could be sent.
 */
export async function sendAfter(
  [path, ...words]: readonly string[],
  options: SendOptions,
  { host, redactor }: Context,
): Promise<EndingKind | number> {
  if (path === undefined) throw usageError("USAGE", "no command follows --", "give one, or leave -- out");
  // Standard output is the command's.
  const { stderr: stdout } = host;
  const context = await contextFor({ ...host, stdout }, redactor, options);
  const template = await templateOf(options, context);
  const command = basename(path);
  const textFor = (exitCode: number, ms: number) => {
    if (options.literal && template !== undefined) return template;
    return commandText(template, { command, exitCode, ms, host: hostname() });
  };
  // What is left of the text once its fields are filled is sent as it is.
  const { messageFile: _, ...others } = options;
  const asked = { ...others, message: textFor(0, 0), literal: true } as const;
  const prepared = await prepare(asked, context, { written: template ?? `{{command}}: ${command}` });
  try {
    if (options.dryRun) {
      context.presenter.note(`Dry run: ${command} was not run. If it ended with 0 at once:`);
      return await showPlan(prepared, options, context);
    }
    if ((await prepared.once?.find()) === undefined) {
      // The command may end at another time, which the hours allow, and on another day, which has room for the message.
      await requireSendable(prepared, { isLater: true }, host);
      await confirmNumber(prepared, { options, host }, () => {});
    }
    // The command may be an upgrade that replaces the files of this program.
    const { address, proxy } = prepared.destination;
    await (await openDispatcher(address.origin, proxy)).destroy();
    const { stop } = host.interruption();
    if (stop.aborted) throw interruption(stop, "unsent");
    const began = host.now();
    const end = await runChildCommand([path, ...words], host.environment, host);
    const ms = host.now() - began;
    if (end.kind === "not-started") {
      context.presenter.trace(`Error: cannot run ${JSON.stringify(path)}: ${end.reason}. The command was not run.`);
    }
    if (end.kind === "ended" && end.isInterrupted) {
      context.presenter.note("Nothing is sent, because the command was interrupted.");
      return end.exitCode;
    }
    if (!isWanted(end, ms, options)) return end.exitCode;
    await sendText(prepared, { text: textFor(end.exitCode, ms), options }, context);
    return end.exitCode;
  } finally {
    await prepared.destination.close();
  }
}

async function templateOf(options: SendOptions, context: Context): Promise<string | undefined> {
  const { message, messageFile } = options;
  if (message === undefined && messageFile === undefined) return undefined;
  if (message === "-" || messageFile === "-") {
    const hint = "give the text with --message or in a file, or leave it out";
    throw usageError("AMBIGUOUS_INPUT", "standard input belongs to the command after --", hint);
  }
  return readText(options, context);
}

/** Whether the flags ask for a message about this end. */
function isWanted(end: CommandEnd, ms: number, { only, longerThan = 0 }: SendOptions): boolean {
  if (end.kind === "not-started") return only === "failure";
  if (only !== undefined && only !== (end.exitCode === 0 ? "success" : "failure")) return false;
  return ms >= longerThan;
}

/** Sends the text, and reports why if that cannot be done: nothing may hide how the command ended. */
async function sendText(
  prepared: PreparedMessage,
  { text, options }: { readonly text: string; readonly options: SendOptions },
  context: Context,
): Promise<void> {
  try {
    const { message, notes } = await prepareMessage({ ...prepared.request, text, guards: [] });
    for (const warning of cutTexts(notes)) context.presenter.warn(warning);
    await sendPrepared({ ...prepared, message }, { options, context });
  } catch (error) {
    context.presenter.fail(failureIn(error, true));
  }
}
