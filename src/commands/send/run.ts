import type { EndingKind } from "../../errors.ts";
import { chooseProfile, loadStore } from "../../profiles/resolve.ts";
import { prepareMessages } from "../../recipients/messages.ts";
import { planRun, rehearseRun } from "../../runs/planning.ts";
import { newRunName, runFiles } from "../../runs/run-files.ts";
import type { Context } from "../shared/context.ts";
import { conduct, rehearse } from "../shared/run-command.ts";
import { stateOf } from "../shared/state.ts";
import type { SendOptions } from "./flags.ts";
import { leftOutTexts, warningTexts } from "./notes.ts";
import { readMessagesRequest, sendDefaults } from "./request.ts";

/** Plans, shows, confirms and sends a run, or continues the one of that name. Throws if it cannot begin. */
export async function sendRun(options: SendOptions, context: Context): Promise<EndingKind> {
  const { host } = context;
  const { environment } = host;
  const chosen = options.sandbox ? undefined : chooseProfile(loadStore(host), environment, options.profile);
  const defaults = chosen === undefined ? {} : sendDefaults(environment, chosen.profile);
  const name = options.run ?? newRunName(host.now(), host.random());
  const files = runFiles(stateOf(host), name);
  const { messages, notes } = await prepareMessages(await readMessagesRequest(options, defaults, host));
  const command = {
    name,
    options,
    chosen,
    notes: () => ({ leftOut: leftOutTexts(notes), warnings: warningTexts(notes) }),
  };
  return options.dryRun
    ? rehearse(command, context, (binding) => rehearseRun(files, messages, binding))
    : conduct(command, context, (binding, approve) => planRun(files, messages, binding, host, approve));
}
