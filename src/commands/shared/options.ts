import type { Command, OptionValues } from "@commander-js/extra-typings";
import { usageError } from "../../errors.ts";
import type { Style } from "../../output/presenter.ts";

/** The options that every command takes, before its name or after it. */
export function withGlobalOptions<
  Arguments extends unknown[],
  Options extends OptionValues,
  Inherited extends OptionValues,
>(command: Command<Arguments, Options, Inherited>) {
  return command
    .option(
      "-p, --profile <name>",
      "the profile to use (default: SMS_PROFILE, else the one in use)",
      single("--profile"),
    )
    .option("--json", "one line of JSON on stdout; a failure is one line of JSON on stderr")
    .option("-q, --quiet", "print only the result itself, and failures")
    .option("--verbose", "show what goes over the wire on stderr, without secrets and message text")
    .option("--no-color", "no colours")
    .option("--no-input", "never ask");
}

/** The global options as they were given. */
export interface GlobalFlags {
  readonly profile?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly verbose?: boolean;
  readonly color: boolean;
  readonly input: boolean;
}

/** The global options as a command is given them: those before its name and those after it, as one. */
export interface GlobalOptions extends Style {
  readonly profile?: string;
  /** Whether anybody may be asked. */
  readonly input: boolean;
}

/** Adds up the flags before and after the command's name. Throws a usage error where two profiles are named. */
export function globalOptions(before: GlobalFlags, after: GlobalFlags): GlobalOptions {
  const flags = [before, after];
  const [profile, other] = flags.flatMap((given) => given.profile ?? []);
  if (other !== undefined) throw usageError("INVALID_OPTION", "--profile is given twice", "give it once");
  return {
    ...(profile !== undefined && { profile }),
    json: flags.some(({ json }) => json),
    quiet: flags.some(({ quiet }) => quiet),
    verbose: flags.some(({ verbose }) => verbose),
    color: flags.every(({ color }) => color),
    input: flags.every(({ input }) => input),
  };
}

/** Refuses the first of these global options that was given, since it means nothing to the command; each has its own hint. */
export function refuseGlobals(
  options: GlobalOptions,
  command: string,
  hints: Partial<Readonly<Record<"profile" | "json" | "verbose", string>>>,
): void {
  const given = { profile: options.profile !== undefined, json: options.json, verbose: options.verbose };
  for (const name of ["profile", "json", "verbose"] as const) {
    if (hints[name] === undefined || !given[name]) continue;
    throw usageError("INVALID_OPTION", `--${name} means nothing to ${command}`, hints[name]);
  }
}

/**
 * A parser for an option that takes one value. Refuses the option given twice, and a value that is itself an option: an
 * empty shell variable makes `--message $TEXT --json` send the text "--json".
 */
export function single(name: string) {
  return (value: string, previous: string | undefined): string => {
    if (previous !== undefined) throw usageError("INVALID_OPTION", `${name} is given twice`, "give it once");
    return optionValue(name, value);
  };
}

/** The same for an option that may be repeated. */
export function repeated(name: string) {
  return (value: string, previous: readonly string[] | undefined): readonly string[] => [
    ...(previous ?? []),
    optionValue(name, value),
  ];
}

/** The same for a number within bounds. */
export function number(name: string, unit: string, least: number, most: number, whole: boolean) {
  return (value: string, previous: number | undefined): number => {
    if (previous !== undefined) throw usageError("INVALID_OPTION", `${name} is given twice`, "give it once");
    const amount = /^\d+(\.\d+)?$/.test(value) ? Number(value) : NaN;
    if (amount >= least && amount <= most && (!whole || Number.isInteger(amount))) return amount;
    throw usageError(
      "INVALID_OPTION",
      `${name} takes ${whole ? "a whole number" : "a number"} of ${unit}, not ${JSON.stringify(value)}`,
      `give one from ${least} to ${most}`,
    );
  };
}

/** The same for one of a few words. */
export function oneOf<const Word extends string>(name: string, words: readonly Word[]) {
  return choosing(words, (value: string, previous: Word | undefined): Word => {
    if (previous !== undefined) throw usageError("INVALID_OPTION", `${name} is given twice`, "give it once");
    const word = words.find((known) => known === value);
    if (word !== undefined) return word;
    throw usageError(
      "INVALID_OPTION",
      `${name} does not take ${JSON.stringify(value)}`,
      `give ${words.join(" or ")}`,
    );
  });
}

/** A parser, and the words that it takes. */
export function choosing<Parser extends object>(choices: readonly string[], parser: Parser) {
  return Object.assign(parser, { choices });
}

/** The words that a parser takes; none where it takes others. */
export function choicesOf(parser: object | undefined): readonly string[] {
  const choices: unknown = parser !== undefined && "choices" in parser ? parser.choices : undefined;
  return Array.isArray(choices) ? choices.map(String) : [];
}

function optionValue(name: string, value: string): string {
  if (!/^(--|--?[a-z][a-z0-9-]*(=.*)?)$/is.test(value)) return value;
  throw usageError(
    "INVALID_OPTION",
    `${name} has no value: ${value} follows it`,
    `if ${value} is meant as the value, give it in a file or on standard input`,
  );
}
