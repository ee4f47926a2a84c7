import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { type EndingKind, usageError } from "../errors.ts";
import { version } from "../version.ts";
import { type Context, reporterFor } from "./context.ts";
import { topics } from "./help.ts";
import { keysCommand } from "./keys.ts";
import { loginCommand } from "./login.ts";
import { logoutCommand } from "./logout.ts";
import { type GlobalFlags, globalOptions, withGlobalOptions } from "./options.ts";
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

  const commands = commandsFor(
    context,
    () => program.opts(),
    (kind) => (ending = kind),
  );
  // To define them all takes longer than to send a message.
  const [first = ""] = argv;
  const named = Object.hasOwn(commands, first) ? commands[first] : undefined;
  for (const define of named === undefined ? Object.values(commands) : [named]) program.addCommand(define());
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

/** What defines each command, by its name. `before` gives the options that stand before it, and `end` is told how it ended. */
function commandsFor(
  context: Context,
  before: () => GlobalFlags,
  end: (ending: EndingKind) => void,
): Readonly<Record<string, () => CommandUnknownOpts>> {
  return {
    send: () =>
      sendCommand(async (flags) => {
        const options = { ...flags, ...globalOptions(before(), flags) };
        if (isRun(options)) {
          const { sendRun } = await import("./send-run.ts");
          end(await sendRun(options, context));
        } else {
          const { sendOne } = await import("./send-one.ts");
          end(await sendOne(options, context, await reporterFor(context, options)));
        }
      }),
    preview: () =>
      previewCommand(async (flags) => {
        const options = globalOptions(before(), flags);
        const { runPreview } = await import("./run-preview.ts");
        await runPreview({ ...flags, ...options }, context, await reporterFor(context, options));
      }),
    runs: () =>
      runsCommand(async (verb, flags) => {
        const { runRuns } = await import("./run-runs.ts");
        end(await runRuns(verb, globalOptions(before(), flags), context));
      }),
    login: () =>
      loginCommand(async (flags) => {
        const { runLogin } = await import("./run-login.ts");
        await runLogin({ ...flags, ...globalOptions(before(), flags) }, context);
      }),
    logout: () =>
      logoutCommand(async (flags) => {
        const { runLogout } = await import("./run-logout.ts");
        await runLogout(globalOptions(before(), flags), context);
      }),
    status: () =>
      statusCommand(async (flags) => {
        const { runStatus } = await import("./run-status.ts");
        await runStatus(globalOptions(before(), flags), context);
      }),
    keys: () =>
      keysCommand(async (verb, flags) => {
        const { runKeys } = await import("./run-keys.ts");
        await runKeys(verb, globalOptions(before(), flags), context);
      }),
    profiles: () =>
      profilesCommand(async (verb, flags) => {
        const { runProfiles } = await import("./run-profiles.ts");
        await runProfiles(verb, globalOptions(before(), flags), context);
      }),
    sandbox: () =>
      sandboxCommand(async (flags) => {
        const options = globalOptions(before(), flags);
        const { runSandbox } = await import("./run-sandbox.ts");
        await runSandbox({ ...flags, ...options }, context);
      }),
  };
}
