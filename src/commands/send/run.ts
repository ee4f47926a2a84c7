import type { EndingKind } from "../../errors.ts";
import { readingText } from "../../output/reading.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { prepareMessages } from "../../recipients/messages.ts";
import type { RunDestination } from "../../runs/header.ts";
import { planRun, rehearseRun } from "../../runs/planning.ts";
import { newRunName, runFiles, watchedFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { conduct, rehearse } from "../shared/run-command.ts";
import { stateOf } from "../shared/state.ts";
import type { SendOptions } from "./flags.ts";
import { sendDefaults } from "../shared/defaults.ts";
import { openGuards, readingLists } from "../shared/guards.ts";
import { leftOutCounts, warningTexts } from "./notes.ts";
import { readMessagesRequest } from "./request.ts";

/** Plans, shows, confirms and sends a run, or continues the one of that name. Throws if it cannot begin. */
export async function sendRun(options: SendOptions, context: Context): Promise<EndingKind> {
  const { host, presenter } = context;
  const { environment } = host;
  const chosen = options.sandbox ? undefined : chooseProfile(loadStore(host), environment, options.profile);
  const defaults = chosen === undefined ? {} : sendDefaults(environment, chosen.profile);
  const state = stateOf(host);
  const name = options.run ?? newRunName(host.now(), host.random());
  // A run of that name is read before the rows.
  const { files, share } = watchedFiles(runFiles(state, name), { plans: 1, journals: 1 });
  // A sandbox texts nobody: there it may be tried again and again.
  const searched = options.run === undefined && !options.sandbox ? state : undefined;
  const rows = await readMessagesRequest(options, defaults, context);
  const guards = await presenter.waitFor(readingLists, () => openGuards(options, chosen, rows.country, true, host));
  const { messages, notes } = prepareMessages({ ...rows, guards });
  const source = rows.source?.name;
  const isTyped = options.recipients === "-" && host.stdin.isTerminal();
  const command = {
    options,
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
  };
  const request = (destination: RunDestination) => ({ files, source, messages, destination, guards, searched });
  return options.dryRun
    ? rehearse(command, options.run, context, (destination) => rehearseRun(request(destination), host.now()))
    : conduct(command, context, (destination, consent) => planRun(request(destination), host, consent));
}
