import type { EndingKind } from "../../errors.ts";
import { readingText } from "../../output/reading.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { prepareMessages } from "../../recipients/messages.ts";
import type { RunDestination } from "../../runs/header.ts";
import { planRun, previewRun } from "../../runs/planning.ts";
import { removeRehearsal } from "../../runs/removal.ts";
import { newRunName, runFiles, watchedFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { sendDefaults } from "../shared/defaults.ts";
import { openGuards, readingLists } from "../shared/guards.ts";
import { keepInHistory } from "../shared/history.ts";
import { confirmAndSend, showPlan } from "../shared/run-command.ts";
import { stateOf } from "../shared/state.ts";
import type { SendOptions } from "./flags.ts";
import { leftOutCounts, warningTexts } from "./notes.ts";
import { openRehearsal, rehearsalName } from "./rehearsal.ts";
import { readMessagesRequest } from "./request.ts";

/** Plans, shows, confirms and sends a run, or continues the one of that name. Throws if it cannot begin. */
export async function sendRun(options: SendOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { environment } = host;
  const chosen = options.sandbox ? undefined : chooseProfile(loadStore(host), environment, options.profile);
  const defaults = chosen === undefined ? {} : sendDefaults(environment, chosen.profile);
  const state = stateOf(host);
  const isRehearsal = options.redirectTo !== undefined;
  const name = isRehearsal ? rehearsalName(options.run) : options.run;
  const ownFiles = runFiles(state, name ?? newRunName(host.now(), host.random()));
  // A run of that name is read before the rows.
  const { files, share } = watchedFiles(ownFiles, { plans: 1, journals: 1 });
  // A sandbox texts nobody: there it may be tried again and again.
  const searched = name === undefined && !options.sandbox ? state : undefined;
  const rows = await readMessagesRequest(options, defaults, context);
  const guards = await presenter.waitFor(readingLists, () => openGuards(options, chosen, rows.country, true, host));
  const rehearsal = isRehearsal ? openRehearsal(options, rows.country, guards) : undefined;
  const prepared = prepareMessages({ ...rows, guards: rehearsal ? [rehearsal.guard] : guards });
  const { notes } = prepared;
  const messages = rehearsal?.redirect(prepared.messages) ?? prepared.messages;
  const source = rows.source?.name;
  const isTyped = options.recipients === "-" && host.stdin.isTerminal();
  const { first: _, ...ofRehearsal } = options;
  const command = {
    options: isRehearsal ? ofRehearsal : options,
    chosen,
    planning: isTyped
      ? undefined
      : () =>
          notes.rows === 0 && share() > 0
            ? readingText({ name: `run ${name}`, share })
            : readingText(rows.source ?? { name: "the recipients" }, notes.rows),
    notes: () => ({
      leftOut: leftOutCounts(notes),
      firstLeftOut: notes.firstSkipped,
      warnings: warningTexts(notes),
    }),
    guards,
    rehearsal: rehearsal?.text,
  };
  const request = (destination: RunDestination) => ({ files, source, messages, destination, guards, searched });
  if (options.dryRun) {
    return showPlan(command, name, context, (destination) => previewRun(request(destination), isRehearsal, host.now()));
  }
  return confirmAndSend(command, context, async (destination, consent) => {
    if (isRehearsal) await removeRehearsal(files, host.processes, () => keepInHistory(files, context));
    return planRun(request(destination), host, consent);
  });
}
