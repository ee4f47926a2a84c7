import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { type EndingKind, usageError } from "../errors.ts";
import { version } from "../version.ts";
import type { ProgramContext } from "./shared/context.ts";
import { definitionsFor } from "./shared/definitions.ts";
import { topics } from "./help/topics.ts";
import { withGlobalOptions } from "./shared/options.ts";

const afterHelp = `
Further help:
${topics.map(({ name, summary }) => `  sms help ${name.padEnd(12)}  ${summary}`).join("\n")}

Examples:
  $ sms send --to +254712345678 --message "Deploy finished"
  $ sms send --sandbox --to +254712345678 --message "Only trying"
  $ sms sandbox`;

/** Runs one command line and says how it ended. Throws what stops it; for what commander finds wrong, its CommanderError. */
export async function runProgram(argv: readonly string[], context: ProgramContext): Promise<EndingKind> {
  if (argv.length === 0) throw usageError("NO_COMMAND", "there is no command", "`sms --help` lists them");
  let ending: EndingKind = "accepted";
  const program = defineProgram(context, argv[0], (kind) => (ending = kind));
  await program.parseAsync([...argv], { from: "user" });
  return ending;
}

/**
 * The command line as commander knows it: with the one command that is wanted, since to define them all takes longer than to
 * send a message; with all of them where there is none of that name. `end` is told how a command ended.
 */
export function defineProgram(
  context: ProgramContext,
  wanted: string | undefined,
  end: (ending: EndingKind) => void,
): CommandUnknownOpts {
  const program = withGlobalOptions(new Command("sms"))
    .description("Sends text messages, and says whether they were sent.")
    .version(version, "-V, --version")
    .enablePositionalOptions()
    .helpCommand(false)
    .addHelpText("after", afterHelp);

  const whole = () => defineProgram(context, undefined, end);
  const definitions = Object.entries(definitionsFor(context, () => program.opts(), whole, end));
  const named = definitions.filter(([name]) => name === wanted);
  for (const [, define] of named.length > 0 ? named : definitions) program.addCommand(define());
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
      getOutHelpWidth: () => context.host.stdout.columns(),
    });
  }
  return program;
}
