import { isLive } from "../../service/credentials.ts";
import { plural } from "../../words/count.ts";
import { estimateText, modeText, visible } from "../../terminal/text.ts";
import { profilesOf, readShared } from "../../profiles/defaults.ts";
import { credentialsSource, locate } from "../../profiles/resolve.ts";
import { prepareMessage } from "../../recipients/message.ts";
import type { Context } from "../../terminal/context.ts";
import { refuseSource } from "../../terminal/input.ts";
import { type Prompter, prompterFor } from "../../terminal/prompt.ts";
import { accountOf } from "../destination.ts";
import type { SendOptions } from "../options.ts";
import type { RealMessageSend } from "./prepared.ts";

/** Undefined if sms cannot ask. Throws before the first question if there are no credentials. */
export async function askMessage(
  options: SendOptions,
  context: Context,
): Promise<{ readonly options: SendOptions; readonly prompter: Prompter } | undefined> {
  const { host } = context;
  const prompter = prompterFor(host, options, "sent");
  if (prompter === undefined) return undefined;
  const { profile, payingProfile } = profilesOf(options, host);
  if (payingProfile !== undefined) await locate(host, payingProfile);
  const shared = await readShared(options, host.environment, profile);
  const check = async (to: string, text: string) => {
    await prepareMessage({ ...shared, to, text, literal: options.literal });
  };
  const to = options.to?.[0] ?? (await prompter.ask("Number", undefined, (number) => check(number, "Hi")));
  if (options.message !== undefined || options.messageFile !== undefined)
    return { options: { ...options, to: [to] }, prompter };
  const message = await prompter.ask("Text", undefined, (text) => {
    refuseSource(text);
    return check(to, text);
  });
  return { options: { ...options, to: [to], message }, prompter };
}

/** `--yes` answers for the person. Throws a usage error if the answer is no. */
export async function confirmCost(send: RealMessageSend, prompter: Prompter): Promise<void> {
  const { message, destination, payingProfile, options, context } = send;
  const { host, presenter } = context;
  const { segments } = message;
  const { price } = await accountOf(destination, host, payingProfile);
  presenter.note(`${plural(segments, "segment")}, ${estimateText(segments, price)}; ${modeText(destination)}.`);
  if (options.yes || !isLive(destination.mode)) return;
  await prompter.confirm(`Send it with ${visible(credentialsSource(destination))}?`);
}
