import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { EndingKind } from "../../errors.ts";
import { completionCommand } from "../completion/definition.ts";
import { type Context, reporterFor } from "./context.ts";
import { keysCommand } from "../keys/definition.ts";
import { loginCommand } from "../login/definition.ts";
import { logoutCommand } from "../logout/definition.ts";
import { previewCommand } from "../preview/definition.ts";
import { profilesCommand } from "../profiles/definition.ts";
import { runsCommand } from "../runs/definition.ts";
import { sandboxCommand } from "../sandbox/definition.ts";
import { isRun } from "../send/run-flags.ts";
import { sendCommand } from "../send/definition.ts";
import { statusCommand } from "../status/definition.ts";
import { type GlobalFlags, globalOptions } from "./options.ts";

/**
 * What defines each command, by its name. `before` gives the options that stand before it, `whole` the command line with all
 * commands, and `end` is told how it ended.
 */
export function definitionsFor(
  context: Context,
  before: () => GlobalFlags,
  whole: () => CommandUnknownOpts,
  end: (ending: EndingKind) => void,
): Readonly<Record<string, () => CommandUnknownOpts>> {
  return {
    send: () =>
      sendCommand(async (flags) => {
        const options = { ...flags, ...globalOptions(before(), flags) };
        if (isRun(options)) {
          const { sendRun } = await import("../send/run.ts");
          end(await sendRun(options, context));
        } else {
          const { sendOne } = await import("../send/message.ts");
          end(await sendOne(options, context, await reporterFor(context, options)));
        }
      }),
    preview: () =>
      previewCommand(async (flags) => {
        const options = globalOptions(before(), flags);
        const { runPreview } = await import("../preview/preview.ts");
        await runPreview({ ...flags, ...options }, context, await reporterFor(context, options));
      }),
    runs: () =>
      runsCommand(async (verb, flags) => {
        const { runRuns } = await import("../runs/runs.ts");
        end(await runRuns(verb, globalOptions(before(), flags), context));
      }),
    login: () =>
      loginCommand(async (flags) => {
        const { runLogin } = await import("../login/login.ts");
        await runLogin({ ...flags, ...globalOptions(before(), flags) }, context);
      }),
    logout: () =>
      logoutCommand(async (flags) => {
        const { runLogout } = await import("../logout/logout.ts");
        await runLogout(globalOptions(before(), flags), context);
      }),
    status: () =>
      statusCommand(async (flags) => {
        const { runStatus } = await import("../status/status.ts");
        await runStatus(globalOptions(before(), flags), context);
      }),
    keys: () =>
      keysCommand(async (verb, flags) => {
        const { runKeys } = await import("../keys/keys.ts");
        await runKeys(verb, globalOptions(before(), flags), context);
      }),
    profiles: () =>
      profilesCommand(async (verb, flags) => {
        const { runProfiles } = await import("../profiles/profiles.ts");
        await runProfiles(verb, globalOptions(before(), flags), context);
      }),
    sandbox: () =>
      sandboxCommand(async (verb, flags) => {
        const options = globalOptions(before(), flags);
        if (verb.kind === "serve") {
          const { runSandbox } = await import("../sandbox/serve.ts");
          await runSandbox(verb.flags, options, context);
        } else {
          const { runSandboxMessages } = await import("../sandbox/messages.ts");
          await runSandboxMessages(verb.flags, options, context);
        }
      }),
    completion: () =>
      completionCommand(async (verb, flags) => {
        const { runCompletion } = await import("../completion/completion.ts");
        runCompletion(verb, globalOptions(before(), flags), whole(), context);
      }),
  };
}
