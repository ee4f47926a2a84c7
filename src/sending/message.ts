import type { SendOptions } from "./options.ts";
import { isLive } from "../service/credentials.ts";
import { ageInDays } from "../key.ts";
import type { Outcome } from "../message/outcome.ts";
import { type EndingKind, usageError } from "../errors.ts";
import type { Host } from "../host.ts";
import { prepareMessage } from "../recipients/message.ts";
import type { Context } from "../terminal/context.ts";
import { openGuards, type OpenGuards, readingLists, warnOfSpending } from "../guards/open.ts";
import { openDestination } from "./destination.ts";
import { profileOf, readShared, warnOfRotation } from "../profiles/defaults.ts";
import { readText } from "../terminal/input.ts";
import { historyOf, noteOutcome, openRecord } from "../profiles/record.ts";
import { type PreparedMessage, requireSendable, sendSingle } from "./single.ts";
import { report } from "./views/receipt.ts";
import { cutTexts, warningTexts } from "./views/note-texts.ts";
import type { SentMessage } from "./once.ts";

/** Sends one message and reports its outcome. Throws if nothing can be sent. */
export async function sendOne(given: SendOptions, context: Context): Promise<EndingKind> {
  const { to, message, messageFile } = given;
  const isWhole = to !== undefined && (message ?? messageFile) !== undefined;
  const ask = isWhole || !context.host.stdin.isTerminal() ? undefined : await import("./ask.ts");
  const typed = await ask?.askMessage(given, context);
  const options = typed ?? given;
  const prepared = await prepare(options, context);
  try {
    if (options.dryRun) return await (await import("./dry-run.ts")).showPlan(prepared, options, context);
    await confirmNumber(prepared, { options, host: context.host }, () =>
      requireSendable(prepared, options, context.host),
    );
    if (typed !== undefined) await ask?.confirmCost(prepared, options, context);
    return await sendPrepared(prepared, { options, context });
  } finally {
    await prepared.destination.close();
  }
}

interface Before {
  /** The text before fields filled it, which `--once` compares. */
  readonly written?: string;
  readonly guards?: OpenGuards;
}

/** Checks one message. */
export async function prepare(
  options: SendOptions,
  context: Context,
  { written, guards: openedBefore }: Before = {},
): Promise<PreparedMessage> {
  const { host, presenter } = context;
  const { own, chosen, defaults } = profileOf(options, host);
  const [to] = options.to ?? [];
  if (to === undefined) {
    const hint = `for example: \`sms send --to +2547XXXXXXXX --message "Deploy finished"\``;
    throw usageError("NO_RECIPIENT", "there is no recipient", hint);
  }
  const shared = await readShared(options, defaults);
  const request = { ...shared, to, text: await readText(options, context), literal: options.literal };
  const { country } = request;
  const opened =
    openedBefore ?? (await presenter.waitFor(readingLists, () => openGuards({ options, own, chosen, country, host })));
  // What was sent under a key is reported although the guards would hold it back now.
  const { message, notes } = await prepareMessage({
    ...request,
    guards: options.once === undefined ? opened.ofRows : [],
  });
  // The text about a command is another one once it has run.
  const cuts = written === undefined ? cutTexts(notes) : [];
  for (const warning of [...warningTexts(notes), ...cuts]) presenter.warn(warning);
  const history = chosen && (await historyOf(host, chosen));
  if (chosen !== undefined) await openRecord(host, chosen)?.requireWritable();
  const destination = await openDestination({ expect: options.expect, chosen }, context);
  try {
    const { key } = destination;
    // Not elsewhere: a script cannot rotate a key, and its output should not change with the date.
    if (key !== undefined && host.terminal() !== undefined)
      warnOfRotation(
        { name: key.name, ageDays: ageInDays(key.added, host.now()), profile: options.profile },
        presenter,
      );
    const { guards } = await opened.at(destination);
    const keys = options.once === undefined ? undefined : await import("./once.ts");
    const keyed = written === undefined ? message : { ...message, text: written };
    const once = await keys?.openOnce(options, { message: keyed, destination, chosen }, context);
    return { request, message, guards, chosen, destination, history, once };
  } catch (error) {
    await destination.close();
    throw error;
  }
}

/**
 * Asks before a message that is charged goes to a number in no range known to be in use, unless it was sent before; `--yes`
 * answers. `requireFree` throws for a message that is refused anyway. Throws a usage error if the answer is no.
 */
export async function confirmNumber(
  { message, destination, once }: PreparedMessage,
  { options, host }: { readonly options: SendOptions; readonly host: Host },
  requireFree: () => void | Promise<void>,
): Promise<void> {
  if (message.assigned || !isLive(destination.mode) || options.yes) return;
  const prompter = (await import("../terminal/prompt.ts")).prompterFor(host, options);
  if (prompter === undefined || (await once?.find()) !== undefined) return;
  await requireFree();
  if (await prompter.confirm(`${message.to} may not exist. Send to it?`)) return;
  throw usageError("DECLINED", "Cancelled; nothing was sent.");
}

/** Sends a message, or finds what was sent under its key. `tell` says what became of it, and returns how the command ends. Throws if it may not be sent now. */
export async function sendPrepared(
  prepared: PreparedMessage,
  { options, context }: { readonly options: SendOptions; readonly context: Context },
  tell = (sent: SentMessage): EndingKind =>
    report(
      sent,
      { expected: prepared.message.segments, onceHint: prepared.once?.doubtHint, destination: prepared.destination },
      context,
    ),
): Promise<EndingKind> {
  const { guards, chosen, destination, once } = prepared;
  const { host, presenter } = context;
  const claimed = await once?.claim(options.timeout * 1000);
  if (claimed?.kind === "sent") return tell(claimed);
  let outcome: Outcome;
  try {
    await requireSendable(prepared, options, host);
    outcome = await sendSingle(prepared, { options, held: claimed }, context);
  } finally {
    await claimed?.release();
  }
  const ending = tell({ kind: "sent", outcome });
  if (outcome.kind === "accepted") await warnOfSpending(guards, outcome.receipt.newBalance, presenter);
  if (chosen !== undefined) await noteOutcome(destination, outcome, { host, chosen });
  return ending;
}
