import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { EndingKind } from "../../errors.ts";
import { completionCommand } from "../completion/definition.ts";
import { contextFor, type ProgramContext, reporterFor } from "./context.ts";
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
  program: ProgramContext,
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
          end(await sendRun(options, await contextFor(program, options)));
        } else {
          const { sendOne } = await import("../send/message.ts");
          const context = await contextFor(program, options);
          end(await sendOne(options, context, await reporterFor(program, options)));
        }
      }),
    preview: () =>
      previewCommand(async (flags) => {
        const options = globalOptions(before(), flags);
        const { preview } = await import("../preview/preview.ts");
        await preview({ ...flags, ...options }, await contextFor(program, options));
      }),
    runs: () =>
      runsCommand(async (verb, flags) => {
        const { runRuns } = await import("../runs/runs.ts");
        const options = globalOptions(before(), flags);
        end(await runRuns(verb, options, await contextFor(program, options)));
      }),
    login: () =>
      loginCommand(async (flags) => {
        const { login } = await import("../login/login.ts");
        const options = { ...flags, ...globalOptions(before(), flags) };
        await login(options, await contextFor(program, options));
      }),
    logout: () =>
      logoutCommand(async (flags) => {
        const { logout } = await import("../logout/logout.ts");
        const options = globalOptions(before(), flags);
        await logout(options, await contextFor(program, options));
      }),
    status: () =>
      statusCommand(async (flags) => {
        const { status } = await import("../status/status.ts");
        const options = globalOptions(before(), flags);
        await status(options, await contextFor(program, options));
      }),
    keys: () =>
      keysCommand(async (verb, flags) => {
        const { runKeys } = await import("../keys/keys.ts");
        const options = globalOptions(before(), flags);
        await runKeys(verb, options, await contextFor(program, options));
      }),
    profiles: () =>
      profilesCommand(async (verb, flags) => {
        const { runProfiles } = await import("../profiles/profiles.ts");
        const options = globalOptions(before(), flags);
        await runProfiles(verb, options, await contextFor(program, options));
      }),
    sandbox: () =>
      sandboxCommand(async (verb, flags) => {
        const options = globalOptions(before(), flags);
        const context = await contextFor(program, options);
        if (verb.kind === "serve") {
          const { serveSandbox } = await import("../sandbox/serve.ts");
          await serveSandbox(verb.flags, options, context);
        } else {
          const { showMessages } = await import("../sandbox/messages.ts");
          await showMessages(verb.flags, options, context);
        }
      }),
    completion: () =>
      completionCommand(async (verb, flags) => {
        const { runCompletion } = await import("../completion/completion.ts");
        const options = globalOptions(before(), flags);
        runCompletion(verb, options, whole(), await contextFor(program, options));
      }),
  };
}
