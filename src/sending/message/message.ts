// sending/message: one message. It is checked, sent by the engine that sends a run, recorded and reported.

import { type EndingKind, usageError } from "../../errors.ts";
import { checkMessage } from "../../recipients/one-message.ts";
import type { Context } from "../../terminal/context.ts";
import { readText } from "../../terminal/input.ts";
import { connect, type LocalSend, openSend } from "../opening.ts";
import type { SendOptions } from "../options.ts";
import { warningTexts } from "../views/note-texts.ts";
import { confirmNumber } from "./allowed.ts";
import { deliverMessage, noteDelivery } from "./delivery.ts";
import { report } from "./receipt.ts";

export async function sendMessage(options: SendOptions, context: Context): Promise<EndingKind> {
  const local = await openSend(options, context);
  const { to, text, prompter } = (await promptedMessage(local)) ?? (await givenMessage(local));
  const message = await checkMessage(local, to, text);
  for (const warning of warningTexts(message.notes)) context.presenter.warn(warning);
  const send = await connect(local);
  // Node 20 needs another kilobyte at each start for `await using`.
  try {
    if (send.kind === "dry-run") return await (await import("./dry-run.ts")).showPlan(message, send);
    await confirmNumber(message, send);
    if (prompter !== undefined) await (await import("./ask.ts")).confirmCost(message, send, prompter);
    const delivery = await deliverMessage(message, send);
    const ending = report(delivery, message, send);
    await noteDelivery(delivery, send);
    return ending;
  } finally {
    await send[Symbol.asyncDispose]();
  }
}

/** Undefined if nothing is missing, or if sms cannot ask. */
async function promptedMessage(local: LocalSend) {
  const { to, message, messageFile } = local.options;
  const isWhole = to !== undefined && (message ?? messageFile) !== undefined;
  if (isWhole || !local.context.host.stdin.isTerminal()) return undefined;
  return (await import("./ask.ts")).askMessage(local);
}

async function givenMessage({ options, context }: LocalSend) {
  const [to] = options.to ?? [];
  if (to !== undefined) return { to, text: await readText(options, context), prompter: undefined };
  const hint = `for example: \`sms send --to +2547XXXXXXXX --message "Deploy finished"\``;
  throw usageError("NO_RECIPIENT", "there is no recipient", hint);
}
