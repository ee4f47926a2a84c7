import { SmsError } from "../../errors.ts";
import type { Country } from "../../message/number.ts";
import { checkMessage, parseTemplate } from "../../message/text.ts";
import { readRecipients } from "../../recipients/read.ts";
import { openSource, type Source } from "../../recipients/source.ts";
import type { Context } from "../../terminal/context.ts";
import { refuseSource } from "../../terminal/input.ts";
import { prompterFor } from "../../terminal/prompt.ts";
import type { SendOptions } from "../options.ts";

/**
 * Asks the person at the terminal for the text of a list whose first row has none of its own. Returns undefined if there is
 * nothing to ask, or nobody.
 */
export async function askText(
  options: SendOptions,
  country: Country | undefined,
  { host }: Context,
): Promise<string | undefined> {
  const { recipients = "-", message, messageFile } = options;
  if (recipients === "-" || message !== undefined || messageFile !== undefined) return undefined;
  const prompter = prompterFor(host, options, "sent");
  if (prompter === undefined || (await hasOwnText(openSource(recipients, host), options, country))) return undefined;
  return prompter.ask("Text", undefined, (text) => {
    refuseSource(text);
    checkMessage(text);
    parseTemplate(text);
  });
}

/** Whether the first row has a text. What cannot be read is said by those who read all rows. */
async function hasOwnText(
  source: Source,
  { format, toColumn }: SendOptions,
  country: Country | undefined,
): Promise<boolean> {
  try {
    for await (const row of readRecipients(source, { format, toColumn, country })) {
      return row.kind === "fault" || row.own?.text !== undefined;
    }
    return true;
  } catch (error) {
    if (error instanceof SmsError) return true;
    throw error;
  }
}
