import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { invalidOption } from "../../errors.ts";
import { spilledKeyAdvice } from "../../profiles/stored.ts";
import { formOf, withForm } from "../../sending/option-values.ts";
import { keyLike } from "../../words/key-like.ts";

/**
 * Makes each option refuse to be given twice, and a value that is itself an option: with an empty variable,
 * `--message $TEXT --json` would send the text "--json".
 */
export function checkValues(command: CommandUnknownOpts, name: string): void {
  for (const option of command.options)
    if (option.required) option.argParser(checked(option.long ?? "", option.parseArg ?? ((value) => value), command));
  for (const argument of command.registeredArguments)
    if (argument.parseArg) argument.argParser(checked(name, argument.parseArg));
}

export function checked<Value>(
  name: string,
  parse: (value: string, previous: unknown, name: string) => Value,
  command?: CommandUnknownOpts,
) {
  const form = formOf(parse);
  return withForm(form, (value: string, previous: unknown): Value => {
    if (previous !== undefined && !form.repeatable) throw invalidOption(`${name} is given twice`, "give it once");
    return parse(optionValue(name, value, command), previous, name);
  });
}

/** Stands before a value that was written with =, so that it is no option. No argument has a NUL. */
export const attachedMark = "\0";

/** Options whose value may have a key in it, or which refuse one in words of their own. */
const readsKeys = new Set(["--message", "--key-command", "--base-url"]);

/** Refuses what was typed as an option, with any dash that an editor makes of its hyphens. */
function optionValue(name: string, value: string, command: CommandUnknownOpts | undefined): string {
  if (value.startsWith(attachedMark)) return value.slice(attachedMark.length);
  if (keyLike.test(value) && !readsKeys.has(name))
    throw invalidOption(`${name} has an API key as its value`, spilledKeyAdvice);
  if (!/^(--|[\p{Pd}\u2212]{1,2}[A-Za-z][A-Za-z0-9-]*(=.*)?)$/su.test(value)) return value;
  const [word = ""] = value.replace(/^[\p{Pd}\u2212]{1,2}/u, "").split("=");
  const isOption = command?.options.some(({ long, short }) => long === `--${word}` || short === `-${word}`);
  if (name === "--message" && !value.startsWith("-") && !isOption) return value;
  throw invalidOption(
    `${name} has no value: ${value} follows it`,
    name === "--message" ? `to send ${value}, write --message=${value}` : "give one; a variable in it may not be set",
  );
}

export function refuseCsvWithJson(format: string | undefined, json: boolean): void {
  if (format === "csv" && json) throw invalidOption("--format csv and --json are both given", "give one of them");
}
