import { keyLike } from "../../words/key-like.ts";
import type { CommanderError, CommandUnknownOpts } from "@commander-js/extra-typings";
import { type FailureReport, type SmsError, usageError } from "../../errors.ts";
import { spilledKeyAdvice } from "../../profiles/stored.ts";
import { isObject, parseJson } from "../../json.ts";
import { shellWord } from "../../words/shell-word.ts";
import { commandCalled, helpLine } from "../help/pages.ts";
import { explanationOf, nameOf, optionWithValue } from "./options.ts";
import { commandMeant, hasOption, isSentence, nearestCommand, noLookUp, optionMeant, optionNamed } from "./slips.ts";

interface WrongLine {
  readonly argv: readonly string[];
  readonly command: CommandUnknownOpts;
  /** Defines all commands anew, which then do nothing. */
  readonly program: () => Promise<CommandUnknownOpts>;
}

type SlipAnswer = Pick<FailureReport, "message" | "errorCode" | "hint" | "details">;

/** Says what is wrong with a command line that commander refuses, and how it was meant if that is certain. */
export async function slipReport(error: CommanderError, line: WrongLine): Promise<SlipAnswer> {
  const answer = { errorCode: "USAGE", ...(await answerTo(error, line)) };
  return line.argv.some((word) => keyLike.test(word)) ? { ...answer, hint: spilledKeyAdvice } : answer;
}

async function answerTo(error: CommanderError, typed: WrongLine) {
  const { command } = typed;
  const argv = mended(typed.argv, await readerOf(typed));
  const line = { ...typed, argv };
  const [message = ""] = error.message.replace(/^error: /, "").split("\n");
  const [, word = ""] = /'([^'=]*)/.exec(message) ?? [];
  const listing = `${helpLine(command)} lists the commands`;
  if (nameOf(command) === "send" && argv.includes("--")) {
    const notifyLine = await lineThatParses(argv.with(argv.indexOf("send"), "notify"), line);
    if (notifyLine !== undefined) return { message: "send runs no command", hint: `notify does: \`${notifyLine}\`` };
  }
  switch (error.code) {
    case "commander.help":
      return { message: "no command is given", errorCode: "NO_COMMAND", hint: listing };
    case "commander.unknownOption": {
      // Commander does not know an option that takes no value by `--option=value`.
      if (hasOption(command, word))
        return { message: `${word} takes no value`, hint: "give it without a value, or leave it out" };
      const hint = (await optionHint(word, line)) ?? `${helpLine(command)} lists its options`;
      return { message: `unknown option '${word}'`, hint };
    }
    case "commander.unknownCommand":
      return { message, hint: (await mendedHint(typed, argv)) ?? (await commandHint(line)) ?? listing };
    case "commander.excessArguments":
      return excessAnswer(typed, line, word);
    case "commander.missingArgument": {
      const usage = `Usage: ${command.createHelp().commandUsage(command)}`;
      return { message, hint: exampleHint("", command), details: [usage] };
    }
    case "commander.optionMissingArgument": {
      const [long = ""] = /--[\w-]+/.exec(message) ?? [];
      return { message: `${long} has no value`, hint: exampleHint(long, command) };
    }
    default:
      return { message, hint: `${helpLine(command)} shows how to use it` };
  }
}

async function excessAnswer(typed: WrongLine, line: WrongLine, quoted: string) {
  const { command } = typed;
  const [operand = ""] = command.args.includes(quoted)
    ? [quoted]
    : command.args.slice(command.registeredArguments.filter(({ variadic }) => !variadic).length);
  const option = hasOption(command, `--${operand}`) ? question(`--${operand}`) : undefined;
  const hint =
    (await mendedHint(typed, line.argv)) ??
    option ??
    (nameOf(command) === "status" ? noLookUp : undefined) ??
    (command.commands.length > 0 ? await commandHint(line) : undefined) ??
    (await ownHint(line)) ??
    exampleHint("--", command);
  return { message: `unexpected argument '${operand}'`, hint };
}

function question(meaning: string): string {
  return `did you mean ${meaning}?`;
}

/** Returns the words as they were meant: a long dash, `to=NUMBER`, an object of JSON, and a text without quotes. */
function mended(argv: readonly string[], reader: CommandUnknownOpts): readonly string[] {
  const words: string[] = [];
  let isText = false;
  for (const [index, word] of argv.entries()) {
    const option = optionWithValue(words.at(-1), reader);
    const isValue = option !== undefined && words.length > 0 && !isText;
    if (word === "--" && !isValue) return [...words, ...argv.slice(index)];
    if (isValue) {
      words.push(word);
      isText = option.long === "--message";
    } else if (isText && !/^[-\p{Pd}\u2212]/u.test(word) && optionFor(word) === "--message" && !isToNumber(index, argv))
      words.push(`${words.pop()} ${word}`);
    else {
      isText = false;
      words.push(...(index === 0 && /^\w+:\w+$/.test(word) ? word.split(":") : optionsIn(word, reader)));
    }
  }
  return words;
}

/** As in `send hello to +254…`. */
function isToNumber(index: number, words: readonly string[]): boolean {
  return words[index] === "to" && number.test(words[index + 1] ?? "");
}

/** Returns the options that a word stands for, or the word itself. */
function optionsIn(word: string, reader: CommandUnknownOpts): readonly string[] {
  const [, dashes = "", rest = ""] = /^([-\p{Pd}\u2212]{1,2})(\p{L}.*)$/su.exec(word) ?? [];
  const [, long = "", attached = ""] = /^-([a-z][a-z-]{2,})(=.*)?$/s.exec(word) ?? [];
  const meant = long === "" ? undefined : optionNamed(long, reader);
  if (meant !== undefined) return [meant + attached];
  if (/[^-]/.test(dashes)) return [`${/^\p{L}($|[^\p{L}-])/u.test(rest) ? "-" : "--"}${rest}`];
  const pairs = word.startsWith("{") ? pairsOf(word) : [word.split(/=(.*)/s)];
  const options = pairs.map(([name = "", value]) => [optionNamed(name, reader), value] as const);
  const areAll = options.every(([option, value]) => option !== undefined && value !== undefined);
  return areAll && options.length > 0 ? options.flatMap(([option = "", value = ""]) => [option, value]) : [word];
}

function pairsOf(json: string): readonly (readonly string[])[] {
  const value = parseJson(json);
  const members = isObject(value) ? Object.entries(value) : [];
  return members.map(([name, member]) => (typeof member === "string" ? [name, member] : [name]));
}

/** Asks about a line that parses once its words are mended, or about the first option in it. */
async function mendedHint(typed: WrongLine, argv: readonly string[]): Promise<string | undefined> {
  const changed = argv.find((word, index) => word !== typed.argv[index]);
  if (changed === undefined) return undefined;
  const isBare = typed.command.parent === null && changed === argv[0] && changed.startsWith("-");
  const better = await lineThatParses(isBare ? ["send", ...argv] : argv, typed);
  if (better !== undefined) return question(`\`${better}\``);
  const hint = await ownHint({ ...typed, argv });
  return hint ?? (changed.startsWith("-") ? question(changed) : undefined);
}

async function optionHint(word: string, line: WrongLine): Promise<string | undefined> {
  const hint = await ownHint(line);
  if (hint !== undefined) return hint;
  const { argv } = line;
  const value = argv[argv.indexOf(word) + 1] ?? "";
  const reader = await readerOf(line);
  const isOne = argv.includes("--to") || argv.includes("-t");
  if (word === "--file" && isOne && hasOption(reader, "--message-file")) return question("--message-file");
  if (word === "--key" && value !== "" && !value.startsWith("-")) return keyHint;
  const meaning = optionMeant(word, reader, optionFor(value));
  return meaning === undefined || isSentence(meaning) ? meaning : question(meaning);
}

const keyHint = "the profile has its keys: `sms keys list` shows their names, and `sms keys use NAME` chooses one";

async function commandHint(line: WrongLine): Promise<string | undefined> {
  const { argv, command } = line;
  const whole = await line.program();
  const group = command.parent === null ? whole : (commandCalled(command.name(), whole) ?? command);
  const words = argv.slice(Math.max(0, argv.indexOf(command.args[0] ?? "")));
  const [first = "", ...others] = words;
  const meaning = commandMeant(words, group);
  if (meaning === undefined) return ownHint(line);
  const [name, wordCount] = meaning;
  if (isSentence(name)) return name;
  const rest = words.slice(wordCount);
  const meant = name.split(" ");
  const near = [...nameOf(group).split(" ").filter(Boolean), nearestCommand(first, group) ?? "", ...others];
  const better = await firstThatParses([[...meant, ...rest], withVerb(meant, rest), near], line);
  if (better !== undefined) return better;
  const target = meant.reduce((parent, word) => commandCalled(word, parent) ?? parent, whole);
  const operands = target.registeredArguments.map((argument) => argument.name().toUpperCase());
  return (
    (rest.length > 0 ? await ownHint({ ...line, argv: [...meant, ...rest], command: target }) : undefined) ??
    (await firstThatParses([meant, [...meant, ...operands], [...meant, "list"]], line)) ??
    `\`sms ${name} --help\` shows how to use it`
  );
}

async function firstThatParses(lines: readonly (readonly string[] | undefined)[], line: WrongLine) {
  for (const words of lines) {
    const better = words && (await lineThatParses(words, line));
    if (better !== undefined) return question(`\`${better}\``);
  }
  return undefined;
}

/** Returns the command that takes the options of a line: `send`, if the line names none. */
async function readerOf({ command, program }: WrongLine): Promise<CommandUnknownOpts> {
  return command.parent === null ? (commandCalled("send", await program()) ?? command) : command;
}

const follows = /^(-[fF]|--(file|follow|input|log))$/;

/** Asks about the line with its words behind the options that they are values of, if that parses. */
async function ownHint(line: WrongLine): Promise<string | undefined> {
  const { argv, command } = line;
  if (argv.includes("--")) return undefined;
  const reader = await readerOf(line);
  const isOption = argv.map((word, index) => word.startsWith("-") || optionWithValue(argv[index - 1], reader));
  const options = argv.filter((_, index) => isOption[index]);
  const names = nameOf(command).split(" ").filter(Boolean);
  const operands = argv.filter((_, index) => !isOption[index] && !isToNumber(index, argv)).slice(names.length);
  const [first = ""] = operands;
  const isOther = options.some((word) => word.startsWith("-") && !hasOption(reader, word) && !follows.test(word));
  if (command.name() === "watch" && /\.\w+$/.test(first) && !isOther) {
    const watchOptions = options.filter((word) => !word.startsWith("-") || hasOption(reader, word));
    const to = watchOptions.some((word) => /^(-t|--to)$/.test(word))
      ? watchOptions
      : ["--to", "+2547XXXXXXXX", ...watchOptions];
    return question(`\`tail -F ${shellWord(first)} | sms watch ${to.map(shellWord).join(" ")}\``);
  }
  const isGroup = command.commands.length > 0 && command.parent !== null;
  const words = isGroup ? withVerb([command.name()], operands) : withNames(options, operands, command);
  return firstThatParses([words], line);
}

function withVerb(group: readonly string[], operands: readonly string[]): readonly string[] | undefined {
  const verb = { optout: number.test(operands[0] ?? "") ? "add" : undefined, runs: "show" }[group.join(" ")];
  return verb === undefined || operands.length === 0 ? undefined : [...group, verb, ...operands];
}

function withNames(options: readonly string[], operands: readonly string[], command: CommandUnknownOpts) {
  const names = operands.map(optionFor);
  // A line without a command is a send only if it begins with a recipient.
  if (command.parent === null && operands.length > 0 && names[0] !== "--to") return undefined;
  // A text that stands on both sides of a number would be put together as nobody typed it.
  if (!/^(v*t*|t*v*)$/.test(names.map((option) => (option === "--message" ? "t" : "v")).join(""))) return undefined;
  const values = operands.flatMap((word, index) => (names[index] === "--message" ? [] : [names[index] ?? "", word]));
  const texts = operands.filter((_, index) => names[index] === "--message");
  const message = texts.length === 0 ? [] : ["--message", texts.join(" ")];
  return [...(nameOf(command) || "send").split(" "), ...options, ...values, ...message];
}

const number = /^\+?[\d(][\d\s().-]{6,}$/;

function optionFor(word: string): string {
  if (number.test(word) || /^@[\w.-]+$/.test(word)) return "--to";
  if (/\.(csv|tsv|txt|xlsx|ndjson)$/i.test(word)) return "--recipients";
  return /^https?:\/\//.test(word) ? "--base-url" : "--message";
}

/** Returns the line as a shell has it, if it parses. */
async function lineThatParses(words: readonly string[], { program }: WrongLine): Promise<string | undefined> {
  const line = ["sms", ...words.map(shellWord)].join(" ");
  try {
    await (await program()).parseAsync([...words], { from: "user" });
    return line;
  } catch (error) {
    // So ends `--version`.
    return error instanceof Error && "exitCode" in error && error.exitCode === 0 ? line : undefined;
  }
}

/** Words after the name of a command that sms runs belong to that command. */
function takesCommand({ registeredArguments }: CommandUnknownOpts): boolean {
  return registeredArguments.some((argument) => argument.name() === "command");
}

/** An editor makes a dash of the hyphens of an option, and commander reads that as an argument. Throws as commander does. */
export function refuseLongDash(command: CommandUnknownOpts): void {
  const runsAnother = takesCommand(command);
  const operands = runsAnother ? command.args.slice(0, 1) : command.args;
  const typed = operands.find((word) => {
    const [, name = ""] = /^(?!-)[\p{Pd}\u2212]{1,2}(\p{L}[\p{L}-]*)/u.exec(word) ?? [];
    return name !== "" && (runsAnother || hasOption(command, `--${name}`) || hasOption(command, `-${name}`));
  });
  if (typed !== undefined) command.error(`unexpected argument '${typed}'`, { code: "commander.excessArguments" });
}

/**
 * Returns the usage error for an option with one dash, such as `-to`, which commander reads as `-t o`, or `-m=hi`, which it
 * reads as the text "=hi"; undefined if there is none.
 */
export function oneDashSlip(words: readonly string[], command: CommandUnknownOpts): SmsError | undefined {
  const isOfOther = takesCommand(command);
  for (const word of words) {
    if (isOfOther && command.args.includes(word)) continue;
    const [name = ""] = word.split("=");
    if (command.options.some(({ long }) => long === `-${name}`))
      return usageError("USAGE", `unknown option '${name}'`, question(`-${name}`));
    const option = optionWithValue(name.slice(0, 2), command);
    if (/^-[\w-]+=/.test(word) && option !== undefined) {
      const hint = question(`${option.long}=VALUE, or ${option.short} VALUE`);
      return usageError("USAGE", `unknown option '${name}='`, hint);
    }
  }
  return undefined;
}

function exampleHint(text: string, command: CommandUnknownOpts): string {
  const examples = explanationOf(command).examples.filter((example) => !example.includes("\n"));
  const example = examples.find((line) => line.includes(text)) ?? examples[0];
  return example === undefined
    ? `${helpLine(command)} shows how to use it`
    : `for example: \`${example.replace(/\+\d{9,}/, "+2547XXXXXXXX")}\``;
}
