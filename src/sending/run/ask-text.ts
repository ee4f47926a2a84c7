import { SmsError } from "../../errors.ts";
import type { Country } from "../../message/number.ts";
import { checkMessage, parseTemplate } from "../../message/text.ts";
import { readRecipients } from "../../recipients/read.ts";
import { openSource, type Source } from "../../recipients/source.ts";
import type { Context } from "../../terminal/context.ts";
import { refuseSource } from "../../terminal/input.ts";
import { prompterFor } from "../../terminal/prompt.ts";
import type { SendOptions } from "../options.ts";

/** Undefined if the first row has a text of its own, or if nobody can be asked. */
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

/** The code that reads all rows reports what cannot be read. */
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
