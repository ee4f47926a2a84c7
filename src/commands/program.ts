import { Command } from "@commander-js/extra-typings";
import { type EndingKind, usageError } from "../errors.ts";
import { version } from "../version.ts";
import { completionCommand } from "./completion.ts";
import { type Context, reporterFor } from "./context.ts";
import { topics } from "./help.ts";
import { keysCommand } from "./keys.ts";
import { loginCommand } from "./login.ts";
import { logoutCommand } from "./logout.ts";
import { globalOptions, withGlobalOptions } from "./options.ts";
import { previewCommand } from "./preview.ts";
import { profilesCommand } from "./profiles.ts";
import { runsCommand } from "./runs.ts";
import { sandboxCommand } from "./sandbox.ts";
import { isRun } from "./run-flags.ts";
import { sendCommand } from "./send.ts";
import { statusCommand } from "./status.ts";

const afterHelp = `
Further help:
${topics.map(({ name, summary }) => `  sms help ${name.padEnd(12)}  ${summary}`).join("\n")}

Examples:
  $ sms send --to +254712345678 --message "Deploy finished"
  $ sms send --sandbox --to +254712345678 --message "Only trying"
  $ sms sandbox`;

/** Runs one command line and says how it ended. Throws what stops it; for what commander finds wrong, its CommanderError. */
export async function runProgram(argv: readonly string[], context: Context): Promise<EndingKind> {
  let ending: EndingKind = "accepted";
  const program = withGlobalOptions(new Command("sms"))
    .description("Sends text messages, and says whether they were sent.")
    .version(version, "-V, --version")
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpText("after", afterHelp);

  program.addCommand(
    sendCommand(async (flags) => {
      const options = { ...flags, ...globalOptions(program.opts(), flags) };
      if (isRun(options)) {
        const { sendRun } = await import("./send-run.ts");
        ending = await sendRun(options, context);
      } else {
        const { sendOne } = await import("./send-one.ts");
        ending = await sendOne(options, context, await reporterFor(context, options));
      }
    }),
  );
  program.addCommand(
    previewCommand(async (flags) => {
      const options = globalOptions(program.opts(), flags);
      const { runPreview } = await import("./run-preview.ts");
      await runPreview({ ...flags, ...options }, context, await reporterFor(context, options));
    }),
  );
  program.addCommand(
    runsCommand(async (verb, flags) => {
      const { runRuns } = await import("./run-runs.ts");
      ending = await runRuns(verb, globalOptions(program.opts(), flags), context);
    }),
  );
  program.addCommand(
    loginCommand(async (flags) => {
      const { runLogin } = await import("./run-login.ts");
      await runLogin({ ...flags, ...globalOptions(program.opts(), flags) }, context);
    }),
  );
  program.addCommand(
    logoutCommand(async (flags) => {
      const { runLogout } = await import("./run-logout.ts");
      await runLogout(globalOptions(program.opts(), flags), context);
    }),
  );
  program.addCommand(
    statusCommand(async (flags) => {
      const { runStatus } = await import("./run-status.ts");
      await runStatus(globalOptions(program.opts(), flags), context);
    }),
  );
  program.addCommand(
    keysCommand(async (verb, flags) => {
      const { runKeys } = await import("./run-keys.ts");
      await runKeys(verb, globalOptions(program.opts(), flags), context);
    }),
  );
  program.addCommand(
    profilesCommand(async (verb, flags) => {
      const { runProfiles } = await import("./run-profiles.ts");
      await runProfiles(verb, globalOptions(program.opts(), flags), context);
    }),
  );
  program.addCommand(
    sandboxCommand(async (verb, flags) => {
      const options = globalOptions(program.opts(), flags);
      if (verb.kind === "serve") {
        const { runSandbox } = await import("./run-sandbox.ts");
        await runSandbox(verb.flags, options, context);
      } else {
        const { runSandboxMessages } = await import("./run-sandbox-messages.ts");
        await runSandboxMessages(verb.flags, options, context);
      }
    }),
  );
  program.addCommand(
    completionCommand(async (verb, flags) => {
      const { runCompletion } = await import("./run-completion.ts");
      runCompletion(verb, globalOptions(program.opts(), flags), program, context);
    }),
  );
  program
    .command("help")
    .summary("help for a command, or one of the pages below")
    .argument("[command]", "a command or a page")
    .addHelpText("after", "\nExamples:\n  $ sms help send\n  $ sms help exit-codes")
    .action((name) => {
      const topic = topics.find((known) => known.name === name);
      const command = program.commands.find((known) => known.name() === name);
      if (topic !== undefined) context.host.stdout.write(topic.text());
      else if (command !== undefined || name === undefined) (command ?? program).outputHelp();
      else
        throw usageError(
          "UNKNOWN_COMMAND",
          `there is no help for ${JSON.stringify(name)}`,
          "`sms help` lists it all",
        );
    });

  // Added commands do not inherit these.
  for (const command of [
    program,
    ...program.commands,
    ...program.commands.flatMap(({ commands }) => commands),
  ]) {
    if (command !== program) command.version(version, "-V, --version");
    command.exitOverride().configureOutput({
      writeOut: (text) => context.host.stdout.write(text),
      writeErr: () => {},
    });
  }
  if (argv.length === 0) throw usageError("NO_COMMAND", "there is no command", "`sms --help` lists them");
  await program.parseAsync(argv, { from: "user" });
  return ending;
}
