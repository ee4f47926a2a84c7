import { Command, type CommandUnknownOpts, CommanderError } from "@commander-js/extra-typings";
import { endings } from "../errors.ts";
import type { Host, Output } from "../host.ts";
import { presenterFor, type Style } from "../output/presenter.ts";
import type { Redactor } from "../output/redact.ts";
import { completionCommand } from "./completion/definition.ts";
import { groupHelpCommand, programHelpCommand } from "./help/definition.ts";
import { everyCommand, prepareHelp } from "./help/pages.ts";
import { topics } from "../output/help-topics.ts";
import { keysCommand } from "./keys/definition.ts";
import { loginCommand } from "./login/definition.ts";
import { logoutCommand } from "./logout/definition.ts";
import { optoutCommand } from "./optout/definition.ts";
import { previewCommand } from "./preview/definition.ts";
import { profilesCommand } from "./profiles/definition.ts";
import { runsCommand } from "./runs/definition.ts";
import { sandboxCommand } from "./sandbox/definition.ts";
import { sendCommand } from "./send/definition.ts";
import { type Context, contextFor, type Run } from "./shared/context.ts";
import { withExamples } from "./shared/examples.ts";
import { failureOf } from "./shared/failure.ts";
import { globalOptions, oneDashSlip, refuseBesideVersion, styleIn, withGlobalOptions } from "./shared/options.ts";
import { statusCommand } from "./status/definition.ts";

/** Runs one command line, reports a failure, and returns the exit code. */
export async function runProgram(argv: readonly string[], host: Host, redactor: Redactor): Promise<number> {
  let exitCode: number = endings.accepted.exitCode;
  let style: Style | undefined;
  let context: Context | undefined;
  const run: Run = async (command, work) => {
    const slip = oneDashSlip(argv, command);
    if (slip !== undefined) throw slip;
    const options = globalOptions(command);
    style = options;
    context = await contextFor(host, redactor, options);
    const ended = (await work(options, context)) ?? "accepted";
    exitCode = typeof ended === "number" ? ended : endings[ended].exitCode;
  };
  const program = defineProgram(host.stdout, run, argv[0]);
  let parsed: CommandUnknownOpts = program;
  for (const command of everyCommand(program)) command.hook("preSubcommand", (_, next) => void (parsed = next));
  try {
    await parse(program, argv, host.stdout);
    return exitCode;
  } catch (error) {
    const slip = error instanceof CommanderError ? oneDashSlip(argv, parsed) : undefined;
    const failure = await failureOf(slip ?? error, parsed, () => ({
      argv,
      command: parsed,
      program: defineProgram(host.stdout, run),
      hasCountry: argv.includes("--country") || Boolean(host.environment["SMS_COUNTRY"]),
    }));
    const wanted = style ?? styleIn(argv, parsed);
    const presenter = context?.presenter ?? (await presenterFor(host, redactor, wanted));
    if (failure.errorCode === "NO_COMMAND" && !wanted.json) presenter.tell(() => parsed.helpInformation());
    else presenter.fail(failure);
    return endings[failure.kind].exitCode;
  }
}

/** Parses the arguments and runs the command they name. commander ends with an error after it printed help. */
async function parse(program: CommandUnknownOpts, argv: readonly string[], stdout: Output): Promise<void> {
  try {
    await program.parseAsync([...argv], { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
    if (error.code !== "commander.version") return;
    refuseBesideVersion(argv);
    stdout.write(`${error.message}\n`);
  }
}

/** Returns the command line for commander: only the command `wanted`, because defining all takes long, or all. */
export function defineProgram(
  stdout: Pick<Output, "write" | "columns">,
  run: Run,
  wanted?: string,
): CommandUnknownOpts {
  const commands: Readonly<Record<string, () => CommandUnknownOpts>> = {
    send: () => sendCommand(run),
    preview: () => previewCommand(run),
    runs: () => runsCommand(run),
    login: () => loginCommand(run),
    logout: () => logoutCommand(run),
    status: () => statusCommand(run),
    keys: () => keysCommand(run),
    profiles: () => profilesCommand(run),
    optout: () => optoutCommand(run),
    sandbox: () => sandboxCommand(run),
    completion: () => completionCommand(run, () => defineProgram(stdout, run)),
  };
  const program = new Command("sms")
    .description("Send text messages, and know whether they were sent.")
    .helpCommand(false);
  for (const [name, define] of Object.entries(commands)) {
    if (name === wanted || wanted === undefined || !Object.hasOwn(commands, wanted)) program.addCommand(define());
  }
  program.addCommand(programHelpCommand(run, program));
  withGlobalOptions(program, ["profile", "json", "quiet", "verbose", "input", "yes"]);
  for (const group of program.commands.filter(({ commands: own, options }) => own.length > 0 && options.length === 0)) {
    group.addCommand(groupHelpCommand(run, group));
    // A group accepts global options before the command's name, and the command decides about them.
    withGlobalOptions(group, []);
  }
  prepareHelp(program, stdout);
  return withExamples(program, examples, notes());
}

const examples = [
  'sms send --to +254712345678 --message "Deploy finished"',
  'sms send --sandbox --to +254712345678 --message "Only trying"',
  "sms sandbox",
];

function notes(): string {
  const lines = topics.map(({ name, summary }) => `\n  sms help ${name.padEnd(12)}  ${summary}`);
  return `Topics:${lines.join("")}`;
}
