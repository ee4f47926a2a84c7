// commands: a file or folder for each command. It takes options and calls one function of a room; a send shows its own result.

import { learnUrl } from "../profiles/secrets.ts";
import { CommanderError, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { endings, type FailureReport, slip, type SmsError } from "../errors.ts";
import type { Host, Output } from "../host.ts";
import { requirePartners } from "../sending/options.ts";
import type { OutputStyle, Context, Perform } from "../terminal/context.ts";
import { presenterFor, contextFor, failureIn } from "../terminal/presenter.ts";
import type { Redactor } from "../terminal/redact.ts";
import { everyCommand, prepareHelp } from "./help/pages.ts";
import { sendCommand } from "./send.ts";
import { explanationOf, globalOptions, nameOf, newCommand, optionWithValue } from "./shared/options.ts";
import { attachedMark } from "./shared/typed-values.ts";

export async function runProgram(argv: readonly string[], host: Host, redactor: Redactor): Promise<number> {
  let exitCode: number = endings.accepted.exitCode;
  // An error may quote a word of the line.
  for (const word of argv) learnUrl(redactor, word);
  let context: Context | undefined;
  const perform: Perform = async (command, work) => {
    const dashSlip = await oneDashSlip(argv, command);
    if (dashSlip !== undefined) throw dashSlip;
    if (command.args.some((word) => /^(?!-)[\p{Pd}\u2212]/u.test(word)))
      (await import("./shared/wrong-line.ts")).refuseLongDash(command);
    requireUtf8(argv, host.environment);
    const options = { ...command.opts(), ...globalOptions(command) };
    context = await contextFor(host, redactor, options, argv);
    const ofCommand = command.options.map(({ long }) => long);
    requirePartners(options, ofCommand);
    const ending = (await work(options, context)) ?? "accepted";
    exitCode = typeof ending === "number" ? ending : endings[ending].exitCode;
    const isCutShort = explanationOf(command).endsWith === "list" && !(await isWritten(host.stdout));
    if (exitCode === 0 && isCutShort) exitCode = endings.usage.exitCode;
  };
  const program = await defineProgram(host.stdout, perform, argv);
  let target: CommandUnknownOpts = program;
  for (const command of everyCommand(program)) command.hook("preSubcommand", (_, next) => void (target = next));
  try {
    const extent = helpIn(argv, program);
    if (extent !== undefined) await renderHelp(program, extent);
    await parseAndPerform(program, argv, host.stdout);
    return exitCode;
  } catch (error) {
    const dashSlip = error instanceof CommanderError ? await oneDashSlip(argv, target) : undefined;
    const failure = await failureOf(dashSlip ?? error, argv, target, context !== undefined);
    const style = styleIn(argv, target);
    const presenter = context?.presenter ?? (await presenterFor(host, redactor, style));
    if (failure.errorCode === "NO_COMMAND" && !style.json) {
      await renderHelp(program, "screen");
      presenter.tell(() => target.helpInformation());
    } else if (isWithCommand(argv, target))
      presenter.fail({ ...failure, details: [...(failure.details ?? []), "The command was not run."] });
    else presenter.fail(failure);
    return endings[failure.kind].exitCode;
  }
}

/** commander ends with an error after it printed help. */
async function parseAndPerform(program: CommandUnknownOpts, argv: readonly string[], stdout: Output): Promise<void> {
  try {
    await program.parseAsync(withMarkedValues(argv), { from: "user" });
  } catch (error) {
    if (!(error instanceof CommanderError && error.exitCode === 0)) throw error;
    if (error.code !== "commander.version") return;
    stdout.write((await import("./help/version-text.ts")).versionText(argv));
  }
}

async function isWritten({ flush, failure }: Output): Promise<boolean> {
  await flush();
  return [undefined, "EPIPE"].includes(failure()?.code);
}

async function failureOf(
  error: unknown,
  argv: readonly string[],
  command: CommandUnknownOpts,
  hasBegun: boolean,
): Promise<FailureReport> {
  const sends = explanationOf(command).endsWith === "outcome";
  if (error instanceof CommanderError) {
    const { slipReport } = await import("./shared/wrong-line.ts");
    const report = await slipReport(error, { argv, command, program: defineSilently });
    return { kind: "usage", isSlip: true, ...report, ...(sends && { outcome: "unsent" }) };
  }
  const report = failureIn(error, sends);
  return { ...report, isSlip: report.isSlip === true || (report.kind === "usage" && !hasBegun) };
}

/** Marks a text behind = that looks like an option: commander would hand it on as if it were the next word. */
function withMarkedValues(argv: readonly string[]): string[] {
  const end = argv.includes("--") ? argv.indexOf("--") : argv.length;
  const marked = (word: string) => word.replace(/^(--message=)(?=[\p{Pd}\u2212])/u, `$1${attachedMark}`);
  return argv.map((word, index) => (index < end ? marked(word) : word));
}

function styleIn(words: readonly string[], command: CommandUnknownOpts): OutputStyle {
  const options = beforeOperands(words, command);
  return {
    json: options.includes("--json"),
    quiet: false,
    color: !options.includes("--no-color"),
    verbose: false,
  };
}

async function oneDashSlip(words: readonly string[], command: CommandUnknownOpts): Promise<SmsError | undefined> {
  const dashed = beforeOperands(words, command).filter((word) => /^-[a-z]./.test(word));
  return dashed.length === 0 ? undefined : (await import("./shared/wrong-line.ts")).oneDashSlip(dashed, command);
}

/** Returns the words before `--`. A `--` in the place of a value is one of the words. */
function beforeOperands(words: readonly string[], command: CommandUnknownOpts): readonly string[] {
  const end = words.findIndex((word, index) => word === "--" && !optionWithValue(words[index - 1], command));
  return end < 0 ? words : words.slice(0, end);
}

function isWithCommand(words: readonly string[], command: CommandUnknownOpts): boolean {
  if (nameOf(command) !== "notify") return false;
  return command.args.length > 0 || beforeOperands(words, command).length < words.length - 1;
}

function helpIn(words: readonly string[], program: CommandUnknownOpts): "screen" | "whole" | undefined {
  const options = beforeOperands(words, program);
  if (options.includes("--help")) return "whole";
  return options.some((word) => /^-\w*h/.test(word)) ? "screen" : undefined;
}

async function renderHelp(program: CommandUnknownOpts, extent: "screen" | "whole"): Promise<void> {
  (await import("./help/rendering.ts")).renderHelp(program, extent);
}

/** Returns the command line for commander, with the commands that `words` may name; with all of them without `words`. */
export async function defineProgram(
  stdout: Pick<Output, "write" | "columns">,
  perform: Perform,
  words?: readonly string[],
): Promise<CommandUnknownOpts> {
  const program = newCommand("sms", {
    endsWith: "done",
    description: "Send text messages, and know whether they were sent.",
    uses: ["profile", "json", "quiet", "verbose", "input", "yes"],
    examples: [],
  })
    .helpCommand(false)
    // Before notify is added, which leaves what follows its operands to the command that it runs.
    .enablePositionalOptions();
  if (words?.[0] === "send") program.addCommand(sendCommand(perform));
  else await (await import("./registry.ts")).addCommands(program, perform, () => defineProgram(stdout, perform), words);
  prepareHelp(program, stdout);
  if (words === undefined) {
    const { describeOptions } = await import("./help/rendering.ts");
    for (const command of everyCommand(program)) describeOptions(command);
  }
  return program;
}

function defineSilently(): Promise<CommandUnknownOpts> {
  return defineProgram({ write: () => {}, columns: () => 80 }, async (command) => void globalOptions(command));
}

/** Node puts this in place of bytes that are not UTF-8, so that two keys of `--once` could become one. */
const misread = "\uFFFD";

/** The variables that decide what is sent and where, who pays, and where it is recorded. */
const ours =
  /^(SMS_\w+|HOME|USERPROFILE|XDG_(CONFIG|STATE)_HOME|(LOCAL)?APPDATA|https?_proxy|HTTPS?_PROXY|no_proxy|NO_PROXY)$/;

function requireUtf8(argv: readonly string[], environment: Host["environment"]): void {
  const index = argv.findIndex((word) => word.includes(misread));
  if (index >= 0) {
    const { [index - 1]: before = "" } = argv;
    const place = /^--?[\w-]*$/.test(before) ? `argument ${index + 1}, after ${before},` : `argument ${index + 1}`;
    const hint = "write it in UTF-8; bytes for a command after -- can stand in a script that it runs";
    throw slip("NOT_UTF8", `${place} is not UTF-8 text`, hint);
  }
  const entry = Object.entries(environment).find(
    ([name, value]) => ours.test(name) && value?.includes(misread) === true,
  );
  if (entry === undefined) return;
  throw slip("NOT_UTF8", `the variable ${entry[0]} is not UTF-8 text`, "set it to UTF-8, or leave it out");
}
