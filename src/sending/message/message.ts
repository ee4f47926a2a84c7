// sending/message: one message. It is checked, sent by the engine that sends a run, recorded and reported.

import type { EndingKind } from "../../errors.ts";
import type { Context } from "../../terminal/context.ts";
import { isToBeSent } from "../opening.ts";
import type { SendOptions } from "../options.ts";
import { deliverMessage, noteSettled } from "./delivery.ts";
import { confirmNumber, prepare, requireSendable } from "./prepared.ts";
import { report } from "./receipt.ts";

export async function sendMessage(options: SendOptions, context: Context): Promise<EndingKind> {
  const { to, message, messageFile } = options;
  const isWhole = to !== undefined && (message ?? messageFile) !== undefined;
  const ask = isWhole || !context.host.stdin.isTerminal() ? undefined : await import("./ask.ts");
  const answers = await ask?.askMessage(options, context);
  const send = await prepare(answers?.options ?? options, context);
  // Node 20 needs another kilobyte at each start for `await using`.
  try {
    if (!isToBeSent(send)) return await (await import("./dry-run.ts")).showPlan(send);
    await confirmNumber(send, () => requireSendable(send));
    if (answers !== undefined) await ask?.confirmCost(send, answers.prompter);
    const result = await deliverMessage(send);
    const ending = report(result, send);
    await noteSettled(result, send);
    return ending;
  } finally {
    await send[Symbol.asyncDispose]();
  }
}
