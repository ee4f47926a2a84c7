import type { Argument, CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import { endings } from "../../errors.ts";
import { variables } from "./texts.ts";
import { topics } from "./pages.ts";
import { version } from "../../version.ts";
import { explanationOf, nameOf } from "../shared/options.ts";
import { formOf } from "../../sending/option-values.ts";

export function reference(program: CommandUnknownOpts, name: string) {
  const commands = visibleBelow(program).filter((command) =>
    `${nameOf(command)} `.startsWith(name === "" ? "" : `${name} `),
  );
  return {
    version,
    commands: commands.map(commandEntry),
    topics,
    environment: variables.flatMap(([names, description]) =>
      names.split(", ").map((variable) => ({ name: variable, description })),
    ),
    exitCodes: [...new Set(Object.values(endings).map(({ exitCode }) => exitCode))].map(exitCodeEntry),
  };
}

function visibleBelow(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  const children = command.createHelp().visibleCommands(command);
  return children.flatMap((below) => [below, ...visibleBelow(below)]);
}

function commandEntry(command: CommandUnknownOpts) {
  const help = command.createHelp();
  const { examples, notes } = explanationOf(command);
  return {
    name: nameOf(command),
    aliases: command.aliases(),
    summary: command.summary(),
    description: command.description(),
    usage: help.commandUsage(command),
    examples,
    notes,
    arguments: command.registeredArguments.map(argumentEntry),
    options: help.visibleOptions(command).map(optionEntry),
  };
}

function argumentEntry(argument: Argument) {
  const { choices } = formOf(argument.parseArg);
  return {
    name: argument.name(),
    required: argument.required,
    repeatable: argument.variadic,
    description: argument.description,
    choices: choices ?? null,
  };
}

function optionEntry({ flags, long, short, required, parseArg, description, helpGroupHeading = "Options:" }: Option) {
  const [, value] = /<(.*)>/.exec(flags) ?? [];
  const form = formOf(parseArg);
  const [, text] = / \(default: (.*)\)$/.exec(description) ?? [];
  const variable = variableIn(text ?? "");
  return {
    option: long,
    short,
    type: required ? form.type : "boolean",
    value,
    minimum: form.minimum,
    maximum: form.maximum,
    choices: form.choices ?? null,
    repeatable: form.repeatable ?? false,
    default: required ? defaultOf(text, form.type) : false,
    environment: variable,
    group: helpGroupHeading.replace(/:$/, ""),
    description,
  };
}

function variableIn(text: string): string | undefined {
  return /^SMS_\w+$/.exec(text)?.[0];
}

function defaultOf(text: string | undefined, type: string): string | number | null {
  if (text === undefined || variableIn(text) !== undefined) return null;
  if (type === "text") return text;
  return Number.isFinite(Number(text)) ? Number(text) : null;
}

function exitCodeEntry(code: number) {
  const same = Object.values(endings).filter(({ exitCode }) => exitCode === code);
  const [first] = same;
  return { code, when: same.map(({ when }) => when), sent: first?.sent, retry: first?.retry };
}
