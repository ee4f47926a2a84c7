import { invalidOption, SmsError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { cleanLine } from "../../recipients/faults.ts";
import { listFile, isList } from "../../recipients/groups.ts";
import { commentedTexts, listTexts } from "../../recipients/list-texts.ts";
import { prepareMessages } from "../../recipients/list-messages.ts";
import { openRecipients, readRecipients } from "../../recipients/read.ts";
import { openSource, type Source } from "../../recipients/source.ts";
import { readTemplate, sayHowToEnd, refuseSource } from "../../terminal/input.ts";
import { readingText } from "../../terminal/reading-text.ts";
import type { LocalSend } from "../opening.ts";
import type { SendOptions } from "../options.ts";
import { nobodyTexts, warningTexts } from "../views/note-texts.ts";
import { rehearsalOf } from "./rehearsal.ts";
import type { Country } from "../../message/number.ts";
import { requireText, parseTemplate } from "../../message/text.ts";
import type { Context } from "../../terminal/context.ts";
import { prompterFor } from "../../terminal/prompt.ts";

export type Rows = Awaited<ReturnType<typeof checkRows>>;

/** Throws a usage error that lists all faults. */
export async function checkRows({ options: typed, context, shared, rowGuards }: LocalSend) {
  const { host, presenter } = context;
  const options = withList(typed, host);
  const { to = [], recipients, format, toColumn, skipInvalid, allowDuplicates } = options;
  const message = (await askText(options, shared.country, context)) ?? options.message;
  const text = await readTemplate({ ...options, message }, context);
  const rehearsal = await rehearsalOf(options, shared.country, rowGuards.guardsOfLists);
  // The name of a list counts as typed.
  const isTyped = typed.recipients === undefined;
  const isDictated = recipients === "-" && host.stdin.isTerminal();
  if (isDictated) sayHowToEnd("the recipients", context);
  const list = recipients === undefined ? undefined : openSource(recipients, host);
  const { country } = shared;
  // An alert to people who were typed must not get lost.
  const mayBeNone = !isTyped;
  const reading = openRecipients(to, list, { format, toColumn, country, mayBeNone, skipInvalid });
  const { check, planRows, notes } = prepareMessages({
    ...shared,
    recipients: reading,
    text,
    skipInvalid,
    allowDuplicates,
    guards: rehearsal ? [rehearsal.guard] : rowGuards.guardsOfLists,
    guardsOfRecord: rowGuards.guardsOfRecord,
  });
  const { source } = notes;
  // A person who types the rows sees them.
  const status = isDictated ? undefined : () => readingText(source ?? { name: "the recipients" }, notes.rows);
  await presenter.waitFor(status, check);
  rehearsal?.requireFree(await rowGuards.guardsOfRecord());
  const { facts } = reading;
  const clean = reading.clean && cleanLine(reading.clean);
  const commentedOut = commentedTexts(facts);
  const ofList = [...commentedOut.map((rows) => `passed over: ${rows}`), ...listTexts(facts)];
  return {
    kind: "rows" as const,
    /** These can be taken once. */
    planRows: (await rehearsal?.redirect(planRows)) ?? planRows,
    /** Once the rows have been taken. Who is left out, the written plan says. */
    notes: () => ({
      clean,
      commentedOut,
      // Nobody of the list gets a message of a rehearsal.
      unassignedText: rehearsal === undefined ? notes.unassigned.name : undefined,
      warnings: [...nobodyTexts(notes), ...ofList, ...warningTexts(notes)],
    }),
    source: source?.name,
    hasOwnTexts: text === undefined,
    toColumn: facts.columns?.name,
    isTyped,
    rehearsal,
  };
}

/** Throws a usage error if there is no such list, or if there is a second list. */
function withList({ to = [], ...options }: SendOptions, host: Host): SendOptions {
  const [list, another = options.recipients] = to.filter(isList);
  if (list === undefined) return { to, ...options };
  if (another === undefined)
    return { ...options, to: to.filter((each) => each !== list), recipients: listFile(list.slice(1), host) };
  const hint = "put the rows of both into one list, or send twice";
  throw invalidOption(`a run has one list, and ${list} and ${another} are given`, hint);
}

/** Undefined if the first row has a text of its own, or if nobody can be asked. */
async function askText(
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
    requireText(text);
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
