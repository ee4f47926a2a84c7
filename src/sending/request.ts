import type { SendOptions } from "./options.ts";
import { checkMessage } from "../message/text.ts";
import { readSender } from "../message/sender.ts";
import { invalidOption, usageError } from "../errors.ts";
import { countText, plural } from "../words/count.ts";
import { decimalsText, replacementText } from "../terminal/text.ts";
import type { MessageRequest } from "../recipients/message.ts";
import type { MessagesRequest } from "../recipients/messages.ts";
import type { Notes } from "../recipients/notes.ts";
import { placesText } from "../recipients/row.ts";
import { openSource } from "../recipients/source.ts";
import type { Context } from "../terminal/context.ts";
import { readText, sayHowToEnd } from "../terminal/input.ts";
import { listTexts } from "../recipients/list-texts.ts";
import { countryOf, type SendDefaults } from "../profiles/defaults.ts";

/** Returns one message as flags and input ask for it. Throws a usage error if anything is missing or malformed. */
export async function readMessageRequest(
  options: SendOptions,
  defaults: SendDefaults,
  context: Context,
): Promise<MessageRequest> {
  const [to] = options.to ?? [];
  if (to === undefined)
    throw usageError(
      "NO_RECIPIENT",
      "there is no recipient",
      `for example: \`sms send --to +2547XXXXXXXX --message "Deploy finished"\``,
    );
  const shared = await readShared(options, defaults);
  return { ...shared, to, text: await readText(options, context), literal: options.literal };
}

/** Returns the messages of a run as flags and input ask for them. Throws a usage error if anything is missing or malformed. */
export async function readMessagesRequest(
  options: SendOptions,
  defaults: SendDefaults,
  context: Context,
): Promise<MessagesRequest> {
  const { recipients, format, toColumn, skipInvalid, allowDuplicates } = options;
  if (options.literal) {
    throw invalidOption(
      "--literal is for a single message, and this is a run",
      "leave it out: a run fills each {{field}} from its rows",
    );
  }
  if (recipients === "-") sayHowToEnd("the recipients", context);
  const { host } = context;
  return {
    ...(await readShared(options, defaults)),
    numbers: options.to ?? [],
    source: recipients === undefined ? undefined : openSource(recipients, host),
    format,
    toColumn,
    text: await readTemplate(options, context),
    skipInvalid,
    allowDuplicates,
  };
}

/** Returns what the options say about every message of a send. Throws a usage error if it is malformed. */
export async function readShared({ sender, country, gsm7, segments }: SendOptions, defaults: SendDefaults) {
  const named = sender ?? (defaults.sender === undefined ? undefined : readSender(defaults.sender));
  const shared = { ...(named && { sender: named }) };
  const request = { shared, country: countryOf(country, defaults), gsm7: gsm7 === true };
  if (segments === undefined) return request;
  const { cutToSegments } = await import("../message/cut.ts");
  return { ...request, cut: (text: string) => cutToSegments(text, segments) };
}

/** Returns the text for all rows; undefined if rows may have their own and none was given, or standard input has the rows. */
async function readTemplate(options: SendOptions, context: Context): Promise<string | undefined> {
  const isGiven = options.message !== undefined || options.messageFile !== undefined;
  const wantsInput = options.message === "-" || options.messageFile === "-";
  if (wantsInput && options.recipients === "-") {
    throw usageError(
      "AMBIGUOUS_INPUT",
      "both the recipients and the text are to come from standard input",
      "give one of them in a file",
    );
  }
  const mayBeOwn = options.recipients !== undefined;
  if (!isGiven && (options.recipients === "-" || (mayBeOwn && context.host.stdin.isTerminal()))) return undefined;
  const text = await readText({ ...options, mayBeEmpty: !isGiven && mayBeOwn }, context);
  if (text === "" && !isGiven && mayBeOwn) return undefined;
  if (text.trim() === "") checkMessage(text);
  return text;
}

/** Says how much of texts `--segments` left out. */
export function cutTexts({ cut, recipients }: Notes): readonly string[] {
  if (cut.texts === 0) return [];
  const where = recipients === 1 ? "the text" : plural(cut.texts, "row");
  return [`--segments left ${plural(cut.characters, "character")} out of ${where}`];
}

/** Says why nobody is sent to, if so. */
export function nobodyTexts({ recipients, rows }: Notes, source: string | undefined): readonly string[] {
  if (recipients > 0) return [];
  return [rows === 0 ? `${source} has a header and no rows` : `nobody of ${source} is left to send to`];
}

export function warningTexts(notes: Notes): readonly string[] {
  const { recipients, landlines, unassigned, firstUnassigned, longer, replaced, unrendered, ownTexts = 0 } = notes;
  const isOne = recipients === 1;
  const warnings = [...listTexts(notes.list)];
  if (notes.decimals > 0) warnings.push(decimalsText(notes.decimals));
  if (landlines > 0) {
    const where = isOne ? "" : `: ${placesText(notes.firstLandlines, landlines)}`;
    warnings.push(`${plural(landlines, "landline")} may not take texts${where}`);
  }
  if (unassigned > 0) {
    const which =
      unassigned === 1 ? `${firstUnassigned} is` : `${plural(unassigned, "number")} such as ${firstUnassigned} are`;
    warnings.push(`${which} in no range of numbers known to be in use`);
  }
  if (longer.texts > 0) {
    const what = isOne ? "this" : plural(longer.texts, "text");
    warnings.push(
      `look-alikes make ${what} ${plural(longer.segments, "segment")} instead of ${countText(longer.gsm7Segments)}: --gsm7 replaces them, and \`sms preview\` shows them`,
    );
  }
  if (notes.replacedTexts > 0) {
    const where = isOne ? "" : `in ${plural(notes.replacedTexts, "text")} `;
    warnings.push(`${where}${replacementText([...replaced.values()])}`);
  }
  for (const name of notes.unfilled.values()) {
    warnings.push(`no row fills {{${name}}}, so every text has its default`);
  }
  if (unrendered !== undefined) {
    warnings.push(`{${unrendered}} is sent as written; {{${unrendered}}} is the field of each row`);
  }
  if (ownTexts > 0) warnings.push(`the text of ${plural(ownTexts, "row")} is sent instead of the given one`);
  return warnings;
}
