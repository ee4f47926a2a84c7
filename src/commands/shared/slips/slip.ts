import type { CommanderError, CommandUnknownOpts } from "@commander-js/extra-typings";
import { nearest } from "../../../message/nearest.ts";
import type { FailureReport } from "../../../output/text.ts";
import { commandCalled, everyCommand, helpLine } from "../../help/pages.ts";
import { topics } from "../../help/topics.ts";
import { explanationOf, nameOf } from "../options.ts";
import { alternatives } from "../option-values.ts";
import { spilledKeyAdvice } from "../../../profiles/stored.ts";
import { keyAdvice, synonyms, type Synonyms } from "./synonyms.ts";

export interface WrongLine {
  readonly argv: readonly string[];
  readonly command: CommandUnknownOpts;
  readonly program: CommandUnknownOpts;
}

type Report = Pick<FailureReport, "message" | "errorCode" | "hint" | "details">;

const key = /\bsk_(test|live)_/;

/**
 * Returns what to say about a command line that commander refuses. It names the fault, an option, a command, or a fixed
 * example, and never repeats the words in another order: whoever types such a line may send a text that nobody wrote.
 */
export function slipReport({ code, message: text }: CommanderError, line: WrongLine): Report {
  const { command } = line;
  const [message = "", suggestion = ""] = text.replace(/^error: /, "").split("\n");
  const near = suggestion.replace(/^\(Did you mean (one of )?|\?\)$/g, "").split(", ");
  const suggested = near.filter((word) => word !== "" && word !== "--yes" && !isAlias(word, command));
  const [, typed = ""] = /'([^'=]*)/.exec(message) ?? [];
  switch (code) {
    case "commander.help":
      return {
        message: "no command is given",
        errorCode: "NO_COMMAND",
        hint: `${helpLine(command)} lists the commands`,
      };
    case "commander.unknownOption":
      // Commander does not know an option that takes no value by `--option=value`.
      if (hasOption(command, typed)) {
        return usage(
          `${typed} takes no value`,
          key.test(message) ? spilledKeyAdvice : "give it alone, or leave it out",
        );
      }
      return usage(`unknown option '${typed}'`, optionHint(typed, suggested, line));
    case "commander.unknownCommand":
      return usage(message, commandHint(suggested, line));
    case "commander.excessArguments":
      return excess(line);
    case "commander.missingArgument":
      return {
        ...usage(message, exampleHint("", command)),
        details: [`Usage: ${command.createHelp().commandUsage(command)}`],
      };
    case "commander.optionMissingArgument": {
      const [, long = ""] = /(--[\w-]+)/.exec(message) ?? [];
      return usage(`${long} has no value`, exampleHint(long, command));
    }
    default:
      return usage(message, `${helpLine(command)} shows how to use it`);
  }
}

function usage(message: string, hint: string): Report {
  return { message, errorCode: "USAGE", hint };
}

function optionHint(typed: string, suggested: readonly string[], { argv, command, program }: WrongLine): string {
  const word = typed.replace(/^-+/, "").replaceAll("_", "-").toLowerCase();
  // Without a command, an option is most likely one of send.
  const reader = command.parent === null ? sendOf(program) : command;
  const show = (meant: string) => (hasOption(command, meant) ? meant : `${meant} of ${shown("send")}`);
  const has = (meant: string) => hasOption(command, meant) || hasOption(reader, meant);
  const known = adviceFor([typed, word], synonyms.options, has, show);
  if (known === keyAdvice && argv.some((own) => key.test(own))) return spilledKeyAdvice;
  if (known !== undefined) return known;
  const owners = hasOption(reader, typed) ? [reader] : everyCommand(program).filter((own) => hasOption(own, typed));
  if (owners.length > 0) return `it is an option of ${alternatives(owners.map((own) => shown(nameOf(own))))}`;
  return suggested.length > 0 ? didYouMean(suggested) : `${helpLine(command)} lists its options`;
}

function commandHint(suggested: readonly string[], { command, program }: WrongLine): string {
  const [typed = "", next = ""] = command.args;
  const path = nameOf(command);
  const isProgram = command.parent === null;
  const pair = isProgram ? pairMeant(typed, next, program) : undefined;
  if (pair !== undefined) return didYouMean([shown(pair)]);
  const known = adviceFor(
    [typed],
    isProgram ? synonyms.commands : synonyms.verbs,
    (meant) => exists(command, meant),
    (meant) => shown(`${path} ${meant}`.trim()),
  );
  if (known !== undefined) return known;
  if (suggested.length > 0) return didYouMean(suggested.map((name) => shown(`${path} ${name}`.trim())));
  if (/^\+?\d{6,}$/.test(typed)) return exampleHint("", isProgram ? sendOf(program) : command);
  return `${helpLine(command)} lists the commands`;
}

/** Returns the command that two words mean, such as `key list` or `auth login`. */
function pairMeant(group: string, verb: string, program: CommandUnknownOpts): string | undefined {
  const means = (word: string, table: Synonyms) =>
    Object.entries(table).flatMap(([typed, said]) =>
      typed.split(" ").includes(word) && typeof said !== "string" ? said : [],
    );
  const groups = means(group, synonyms.commands).filter((meant) => commandCalled(meant, program) !== undefined);
  const verbs = [verb, ...means(verb, synonyms.verbs)].filter((meant) => meant !== "");
  const below = groups.flatMap((meant) => verbs.map((own) => `${meant} ${own}`));
  return [...below, ...verbs.slice(0, 1)].find((phrase) => /^[a-z]/.test(phrase) && exists(program, phrase));
}

/** Returns what to type for help about words that name neither a command below `group` nor a topic. */
export function helpHint(words: readonly string[], group: CommandUnknownOpts): string {
  const isProgram = group.parent === null;
  const line = ["help", nameOf(group)].filter(Boolean).join(" ");
  const names = [...group.commands.map((own) => own.name()), ...(isProgram ? topics : []).map(({ name }) => name)];
  const near = nearest(words.join("-"), names) ?? nearest(words[0] ?? "", names);
  return near === undefined ? `${shown(line)} lists what there is` : didYouMean([shown(`${line} ${near}`)]);
}

function excess({ argv, command }: WrongLine): Report {
  const operand = command.args[command.registeredArguments.filter(({ variadic }) => !variadic).length] ?? "";
  const message = `unexpected argument '${operand}'`;
  if (argv.some((word) => key.test(word))) return usage(message, spilledKeyAdvice);
  const name = nameOf(command);
  const names = command.commands.map((own) => own.name());
  const near = hasOption(command, `--${operand}`) ? `--${operand}` : nearest(operand, names);
  if (near !== undefined) return usage(message, didYouMean([names.includes(near) ? shown(`${name} ${near}`) : near]));
  const advice = synonyms.arguments[name];
  return usage(message, `${advice === undefined ? "" : `${advice}; `}${exampleHint("--", command)}`);
}

/** Returns what the table says about one of these words; undefined if it says nothing that fits. */
function adviceFor(
  words: readonly string[],
  table: Synonyms,
  has: (meant: string) => boolean,
  show: (meant: string) => string,
): string | undefined {
  for (const [typed, said] of Object.entries(table)) {
    if (!typed.split(" ").some((word) => words.includes(word))) continue;
    if (typeof said === "string") return said;
    const meant = said.find(has);
    if (meant !== undefined) return didYouMean([show(meant)]);
  }
  return undefined;
}

/** Returns whether there is such a command with such an option, as in `send --recipients FILE`. */
export function exists(command: CommandUnknownOpts, phrase: string): boolean {
  const [word = "", ...rest] = phrase.split(" ");
  if (word === "" || /^[A-Z]/.test(word)) return true;
  if (word.startsWith("--")) return hasOption(command, word);
  if (command.name() === "help" && topics.some(({ name }) => name === word)) return true;
  if (command.name() === "help" && command.parent !== null) return exists(command.parent, phrase);
  const own = commandCalled(word, command);
  return own !== undefined && exists(own, rest.join(" "));
}

export function hasOption(command: CommandUnknownOpts, text: string): boolean {
  const [name] = /^--?[\w-]+/.exec(text) ?? [];
  return command
    .createHelp()
    .visibleOptions(command)
    .some(({ long, short }) => name !== undefined && (long === name || short === name));
}

function sendOf(program: CommandUnknownOpts): CommandUnknownOpts {
  return program.commands.find((own) => own.name() === "send") ?? program;
}

/** Returns the example of the command's help that has this text, or the first one. */
function exampleHint(text: string, command: CommandUnknownOpts): string {
  const examples = explanationOf(command).examples.filter((example) => !example.includes("\n"));
  const example = examples.find((line) => line.includes(text)) ?? examples[0];
  return example === undefined ? `${helpLine(command)} shows how to use it` : `for example: \`${example}\``;
}

function isAlias(name: string, group: CommandUnknownOpts): boolean {
  return group.commands.some((own) => own.aliases().includes(name));
}

function shown(command: string): string {
  return `\`sms ${command}\``;
}

function didYouMean(names: readonly string[]): string {
  return `did you mean ${alternatives(names)}?`;
}
