import { isList, type SendOptions } from "./options.ts";
import { type EndingKind, invalidOption } from "../errors.ts";
import type { Host } from "../host.ts";
import { readingText } from "../terminal/text.ts";
import { cleanLine } from "../recipients/faults.ts";
import { prepareMessages } from "../recipients/messages.ts";
import type { RunDestination } from "../record/header.ts";
import { newRunName, planRun, previewRun, removeRehearsal } from "./planning.ts";
import { planAndSend } from "./run.ts";
import type { Context } from "../terminal/context.ts";
import { groupFile } from "../recipients/groups.ts";
import { openGuards, readingLists } from "../guards/open.ts";
import { keepInHistory } from "../reports/kept.ts";
import { profileOf, readShared } from "../profiles/defaults.ts";
import { requireRecord } from "../profiles/record.ts";
import { openRecipients } from "../recipients/read.ts";
import { openSource } from "../recipients/source.ts";
import { readTemplate, sayHowToEnd } from "../terminal/input.ts";
import { rehearsalOf } from "./rehearsal.ts";
import { cutTexts, nobodyTexts, warningTexts } from "./views/note-texts.ts";

/** Plans, shows, confirms and sends a run, or continues the one of that name. Throws if it cannot begin. */
export async function sendRun(flags: SendOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const options = withList(flags, host);
  const openRehearsal = rehearsalOf(options);
  const { own, chosen, defaults } = profileOf(options, host);
  const runs = await requireRecord(host, "runs", own).runs();
  const shared = await readShared(options, defaults);
  const { country } = shared;
  const text = await readTemplate(options, context);
  const opened = await presenter.waitFor(readingLists, () => openGuards({ options, own, chosen, country, host }));
  const rehearsal = openRehearsal?.(country, opened.ofRows);
  const given = rehearsal?.name ?? options.run;
  const name = given ?? newRunName(host.now(), host.random());
  const isTyped = flags.recipients === undefined;
  const isDictated = options.recipients === "-" && host.stdin.isTerminal();
  if (isDictated) sayHowToEnd("the recipients", context);
  const { to = [], recipients, format, toColumn } = options;
  const list = recipients === undefined ? undefined : openSource(recipients, host);
  const { messages, notes } = prepareMessages({
    ...shared,
    // An alert to people who were typed must not get lost.
    recipients: openRecipients(to, list, { format, toColumn, country, mayBeNone: !isTyped }),
    text,
    skipInvalid: options.skipInvalid,
    allowDuplicates: options.allowDuplicates,
    guards: rehearsal ? [rehearsal.guard] : opened.ofRows,
  });
  const { source } = notes;
  const request = {
    runs,
    name,
    onWait: presenter.note,
    source: source?.name,
    messages: rehearsal?.redirect(messages) ?? messages,
    // What is typed is news each time. A sandbox texts nobody: there a list may be tried again and again.
    isSearched: !isTyped && !options.sandbox && rehearsal === undefined,
    isReplaced: rehearsal !== undefined,
    isNamed: given !== undefined,
    guards: opened.ofRows,
  };
  const command = {
    name: given,
    isTyped,
    options,
    chosen,
    planning: isDictated ? undefined : () => readingText(source ?? { name: "the recipients" }, notes.rows),
    notes: () => ({
      leftOut: Object.fromEntries(Object.entries(notes.skipped).filter(([, count]) => count > 0)),
      firstLeftOut: notes.firstSkipped,
      clean: source && cleanLine(source.name, country),
      warnings: [...nobodyTexts(notes), ...warningTexts(notes), ...cutTexts(notes)],
    }),
    guards: opened,
    rehearsal: rehearsal?.text,
  };
  const preview = (destination: RunDestination) => previewRun({ ...request, destination }, host.now());
  return planAndSend(command, context, {
    preview: options.dryRun && preview,
    open: async (destination, consent) => {
      if (rehearsal) await removeRehearsal(runs, name, () => keepInHistory(name, own, context));
      return planRun({ ...request, destination }, host, consent);
    },
  });
}

/** Gives the list of --to as a file of recipients. Throws a usage error if there is no such list, or another one besides. */
function withList({ to = [], ...flags }: SendOptions, host: Host): SendOptions {
  const [list, another = flags.recipients] = to.filter(isList);
  if (list === undefined) return { to, ...flags };
  if (another === undefined)
    return { ...flags, to: to.filter((one) => one !== list), recipients: groupFile(list.slice(1), host) };
  const hint = "put the rows of both into one list, or send twice";
  throw invalidOption(`a run has one list, and ${list} and ${another} are given`, hint);
}
