import { isLive } from "../../service/credentials.ts";
import { plural } from "../../words/count.ts";
import { estimateText, modeText, visible } from "../../terminal/text.ts";
import { credentialsSource, locate } from "../../profiles/resolve.ts";
import { checkMessage, checkNumber } from "../../recipients/one-message.ts";
import { readText, refuseSource } from "../../terminal/input.ts";
import { type Prompter, prompterFor } from "../../terminal/prompt.ts";
import { standingOf } from "../destination.ts";
import type { LocalSend, Send } from "../opening.ts";
import type { CountedMessage } from "./allowed.ts";

/** Undefined if sms cannot ask. Throws before the first question if there are no credentials. */
export async function askMessage(local: LocalSend) {
  const { options, payingProfile, context } = local;
  const { host } = context;
  const prompter = prompterFor(host, options, "sent");
  if (prompter === undefined) return undefined;
  const [number] = options.to ?? [];
  if (number !== undefined) await checkNumber(local, number);
  if (payingProfile !== undefined && !options.dryRun) await locate(host, payingProfile);
  const checkAnswer = async (answer: string) => void (await checkNumber(local, answer));
  const to = number ?? (await prompter.ask("Number", undefined, checkAnswer));
  if ((options.message ?? options.messageFile) !== undefined)
    return { to, text: await readText(options, context), prompter };
  const text = await prompter.ask("Text", undefined, async (answer) => {
    refuseSource(answer);
    await checkMessage(local, to, answer);
  });
  return { to, text: await readText({ ...options, message: text }, context), prompter };
}

/** `--yes` answers for the person. Throws a usage error if the answer is no. */
export async function confirmCost({ segments }: CountedMessage, send: Send, prompter: Prompter): Promise<void> {
  const { destination, payingProfile, options, context } = send;
  const { host, presenter } = context;
  const { price } = await standingOf(destination, host, payingProfile);
  presenter.note(`${plural(segments, "segment")}, ${estimateText(segments, price)}; ${modeText(destination)}.`);
  if (options.yes || !isLive(destination.mode)) return;
  await prompter.confirm(`Send it with ${visible(credentialsSource(destination))}?`);
}
