import { Command, type CommandUnknownOpts, Option, type OptionValues } from "@commander-js/extra-typings";
import { invalidOption, type SmsError } from "../../errors.ts";
import { optionTable, type OptionsReadBy, type OptionReader } from "../../sending/options.ts";
import type { GlobalOptions } from "../../terminal/context.ts";
import { checkValues } from "./typed-values.ts";

/** The options with which a command runs: its own, as `define` declares them to commander, and the global ones. */
export type OptionsOf<Define extends () => { readonly opts: () => unknown }> = GlobalOptions &
  Readonly<ReturnType<ReturnType<Define>["opts"]>>;

/** The option of each name. `--no-color` comes with any other: what prints a result prints colours. */
const flags = {
  json: () => new Option("--json", "print JSON, failures on stderr"),
  quiet: () => new Option("-q, --quiet", "print only the result itself and failures"),
  verbose: () => new Option("--verbose", "show requests and answers on stderr (redacted)"),
  color: () => new Option("--no-color", "print without colours"),
  profile: () => new Option("-p, --profile <name>", "use this profile (default: SMS_PROFILE)"),
  input: () => new Option("--no-input", "never prompt"),
  yes: () => new Option("-y, --yes", "do not ask for confirmation"),
};

type GlobalName = Exclude<keyof typeof flags, "color">;

/** Most verbs take the first of these, and a verb that asks before it changes anything takes the second. */
export const usualGlobals = ["profile", "json", "quiet"] as const;
export const askingGlobals = [...usualGlobals, "input", "yes"] as const;

/** Options that say what does not happen. Every command accepts them: it keeps to them anyway. */
export const absences: ReadonlySet<string> = new Set(["--no-color", "--no-input", "--yes"]);

const ofOutput = new Set(["json", "quiet", "verbose", "color"]);

/**
 * Adds all global options to a command. Those that it does not use are hidden, and `globalOptions` refuses them. The help
 * shows those about output under `outputHeading`.
 */
export function withGlobalOptions<Declared extends CommandUnknownOpts>(
  command: Declared,
  uses: readonly GlobalName[],
  outputHeading: string = globalHeading,
): Declared {
  const visible: readonly string[] = uses.length === 0 ? [] : [...uses, "color"];
  for (const [name, option] of Object.entries(flags)) {
    const heading = ofOutput.has(name) ? outputHeading : globalHeading;
    command.addOption(option().helpGroup(heading).hideHelp(!visible.includes(name)));
  }
  return command;
}

/** A failure to reach an outcome says what became of the message. A list that a full disk cut short must not pass for whole. */
type End = "outcome" | "list" | "done";

interface Explanation {
  readonly examples: readonly string[];
  readonly endsWith: End;
  readonly notes?: string;
  readonly uses?: readonly GlobalName[];
  readonly outputHeading?: string;
}

const explanations = new WeakMap<CommandUnknownOpts, Explanation>();

export function explain(command: CommandUnknownOpts, explanation: Explanation): void {
  explanations.set(command, explanation);
}

export function explanationOf(command: CommandUnknownOpts): Explanation {
  return explanations.get(command) ?? { examples: [], endsWith: "done" };
}

export function newCommand(name: string, help: Explanation & { readonly description: string }) {
  const command = new Command(name).description(help.description);
  explain(command, help);
  return command;
}

/** The command of a group decides about the global options before its name. */
export function newGroup(name: string, description: string, ...examples: readonly string[]) {
  return newCommand(name, { description, examples, endsWith: "done" }).helpCommand(false).usage("<command> [options]");
}

/**
 * Returns a verb of a group, such as `runs list`, or `runs ls` as people type it. Its description is the summary as a
 * sentence, until it gets its own.
 */
export function verb(
  name: string,
  summary: string,
  endsWith: End,
  uses: readonly GlobalName[],
  ...examples: readonly string[]
) {
  const alias = shortNames.get(name);
  const description = `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`;
  const command = newCommand(name, { description, uses, examples, endsWith }).summary(summary);
  return alias === undefined ? command : command.alias(alias);
}

/** Declares the options that the table has for one of these readers. */
export function withOptions<
  Args extends unknown[],
  Own extends OptionValues,
  Outer extends OptionValues,
  Name extends OptionReader,
>(command: Command<Args, Own, Outer>, ...all: readonly Name[]): Command<Args, Own & OptionsReadBy<Name>, Outer>;
export function withOptions(command: CommandUnknownOpts, ...all: readonly OptionReader[]): CommandUnknownOpts {
  for (const { flags: names, parse, readers } of Object.values(optionTable)) {
    if (!all.some((reader) => readers.includes(reader))) continue;
    const option = new Option(names);
    if (parse !== undefined) option.argParser(parse);
    command.addOption(option);
  }
  return command;
}

/** Global options stand behind the command's own. */
export function completeOptions(command: CommandUnknownOpts): void {
  const { uses = [], outputHeading } = explanationOf(command);
  // A command of which only the name is defined has no explanation.
  if (explanations.has(command)) withGlobalOptions(command, uses, outputHeading);
  checkValues(command, nameOf(command));
}

const shortNames = new Map([
  ["list", "ls"],
  ["remove", "rm"],
]);

export const globalHeading = "Global options:";

export function nameOf(command: CommandUnknownOpts): string {
  return lineage(command)
    .slice(0, -1)
    .map((member) => member.name())
    .toReversed()
    .join(" ");
}

/** Returns the global options, wherever given. Throws a usage error for an unused one and for two profiles. */
export function globalOptions(command: CommandUnknownOpts): GlobalOptions {
  const chain = lineage(command);
  refuseUnused(chain, command);
  return merged(chain);
}

export function noSuchOption(command: string, option: string, hint: string): SmsError {
  return invalidOption(`${command} has no ${option} option`, hint);
}

function refuseUnused([, ...parents]: readonly CommandUnknownOpts[], command: CommandUnknownOpts): void {
  const name = nameOf(command);
  const visible = new Set(command.options.filter(({ hidden }) => !hidden).map(({ long }) => long));
  for (const owner of [command, ...parents]) {
    for (const option of optionsOnLine(owner)) {
      const { long = "" } = option;
      const isGlobal = Object.hasOwn(flags, option.attributeName());
      if (isGlobal && !absences.has(long) && !visible.has(long))
        throw noSuchOption(name, long, `\`sms ${name} --help\` lists its options`);
      if (!isGlobal && owner !== command)
        throw invalidOption(
          `${long} before ${command.name()} is an option of ${nameOf(owner)}`,
          command.options.some((other) => other.long === long) ? `give it after ${command.name()}` : "leave it out",
        );
    }
  }
}

/** The option that takes the word after it as its value. */
export function optionWithValue(word = "", { options }: CommandUnknownOpts) {
  return options.find(({ long, required, short }) => required && (word === long || word === short));
}

export function optionsOnLine(command: CommandUnknownOpts) {
  return command.options.filter((option) => command.getOptionValueSource(option.attributeName()) === "cli");
}

function merged(chain: readonly CommandUnknownOpts[]): GlobalOptions {
  const valuesByCommand: readonly Readonly<Record<string, unknown>>[] = chain.map((command) => command.opts());
  const [profile, other] = valuesByCommand.flatMap((values) => values["profile"] ?? []);
  if (other !== undefined) throw invalidOption("--profile is given twice", "give it once");
  const isGiven = (name: GlobalName) => valuesByCommand.some((values) => values[name] === true);
  return {
    ...(typeof profile === "string" && { profile }),
    json: isGiven("json"),
    quiet: isGiven("quiet"),
    verbose: isGiven("verbose"),
    yes: isGiven("yes"),
    color: valuesByCommand.every((values) => values["color"] !== false),
    input: valuesByCommand.every((values) => values["input"] !== false),
  };
}

function lineage(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return command.parent === null ? [command] : [command, ...lineage(command.parent)];
}
