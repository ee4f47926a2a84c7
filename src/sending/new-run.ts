import { isList, type SendOptions } from "./options.ts";
import { type EndingKind, invalidOption } from "../errors.ts";
import type { Host } from "../host.ts";
import { readingText } from "../terminal/text.ts";
import { cleanLine } from "../recipients/faults.ts";
import { prepareMessages } from "../recipients/messages.ts";
import type { RunDestination } from "../record/header.ts";
import { checkRunName } from "../record/runs.ts";
import { newRunName, planRun, previewRun, removeRehearsal } from "./planning.ts";
import { planAndSend } from "./run.ts";
import type { Context } from "../terminal/context.ts";
import { groupFile } from "../recipients/groups.ts";
import { openGuards, readingLists } from "../guards/open.ts";
import { keepInHistory } from "../reports/kept.ts";
import { profileOf } from "../profiles/defaults.ts";
import { requireRecord } from "../profiles/record.ts";
import { openRehearsal } from "./rehearsal.ts";
import { cutTexts, nobodyTexts, readMessagesRequest, warningTexts } from "./request.ts";

/** Plans, shows, confirms and sends a run, or continues the one of that name. Throws if it cannot begin. */
export async function sendRun(flags: SendOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const options = withList(flags, host);
  const { redirectTo, sandbox } = options;
  const { own, chosen, defaults } = profileOf(options, host);
  const runs = await requireRecord(host, "runs", own).runs();
  const rehearsalName = options.run === undefined ? "rehearsal" : `${options.run}-rehearsal`;
  const given = redirectTo === undefined ? options.run : rehearsalName;
  const name = checkRunName(given ?? newRunName(host.now(), host.random()));
  const rows = await readMessagesRequest(options, defaults, context);
  const { country } = rows;
  const opened = await presenter.waitFor(readingLists, () => openGuards({ options, own, chosen, country, host }));
  const guards = opened.ofRows;
  const rehearsal = redirectTo === undefined ? undefined : openRehearsal(redirectTo, options, { country, guards });
  const prepared = prepareMessages({
    ...rows,
    // An alert to people who were typed must not get lost.
    mayReachNobody: flags.recipients !== undefined,
    guards: rehearsal ? [rehearsal.guard] : guards,
  });
  const { notes } = prepared;
  const messages = rehearsal?.redirect(prepared.messages) ?? prepared.messages;
  const isTyped = flags.recipients === undefined;
  const isDictated = options.recipients === "-" && host.stdin.isTerminal();
  const { first: _, ...ofRehearsal } = options;
  const request = {
    runs,
    name,
    onWait: presenter.note,
    source: rows.source?.name,
    messages,
    // What is typed is news each time. A sandbox texts nobody: there a list may be tried again and again.
    isSearched: !isTyped && !sandbox && rehearsal === undefined,
    isNamed: given !== undefined,
    guards,
    first: rehearsal ? undefined : options.first,
  };
  const command = {
    name: given,
    isTyped,
    options: rehearsal ? ofRehearsal : options,
    chosen,
    planning: isDictated ? undefined : () => readingText(rows.source ?? { name: "the recipients" }, notes.rows),
    notes: () => ({
      leftOut: Object.fromEntries(Object.entries(notes.skipped).filter(([, count]) => count > 0)),
      firstLeftOut: notes.firstSkipped,
      clean: rows.source && cleanLine(rows.source.name, rows.country),
      warnings: [...nobodyTexts(notes, rows.source?.name), ...warningTexts(notes), ...cutTexts(notes)],
    }),
    guards: opened,
    rehearsal: rehearsal?.text,
  };
  const preview = (destination: RunDestination) =>
    previewRun({ ...request, destination }, rehearsal !== undefined, host.now());
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
