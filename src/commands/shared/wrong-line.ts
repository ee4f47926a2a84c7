import { keyLike } from "../../words/key-like.ts";
import type { CommanderError, CommandUnknownOpts } from "@commander-js/extra-typings";
import { type FailureReport, type SmsError, usageError } from "../../errors.ts";
import { spilledKeyAdvice } from "../../profiles/stored.ts";
import { shellWord } from "../../words/shell-word.ts";
import { commandCalled, helpLine } from "../help/pages.ts";
import { explanationOf, nameOf } from "./options.ts";
import { commandMeant, hasOption, isSentence, optionMeant } from "./slips.ts";

export interface WrongLine {
  readonly argv: readonly string[];
  readonly command: CommandUnknownOpts;
  /** Defines all commands anew, which then do nothing. */
  readonly program: () => Promise<CommandUnknownOpts>;
}

type Answer = Pick<FailureReport, "message" | "errorCode" | "hint" | "details">;

/** Returns what to say about a command line that commander refuses: the fault, and the line as it was meant if that is certain. */
export async function slipReport({ code, message: text }: CommanderError, line: WrongLine): Promise<Answer> {
  const { argv, command } = line;
  const [message = ""] = text.replace(/^error: /, "").split("\n");
  const [, typed = ""] = /'([^'=]*)/.exec(message) ?? [];
  const usage = (what: string, hint: string): Answer => ({
    message: what,
    errorCode: "USAGE",
    hint: argv.some((word) => keyLike.test(word)) ? spilledKeyAdvice : hint,
  });
  const meant = nameOf(command) === "send" ? await notifyLine(line) : undefined;
  if (meant !== undefined) return usage("send runs no command", `notify does: \`${meant}\``);
  switch (code) {
    case "commander.help":
      return { ...usage("no command is given", `${helpLine(command)} lists the commands`), errorCode: "NO_COMMAND" };
    case "commander.unknownOption":
      // Commander does not know an option that takes no value by `--option=value`.
      if (hasOption(command, typed)) return usage(`${typed} takes no value`, "give it alone, or leave it out");
      return usage(
        `unknown option '${typed}'`,
        (await optionHint(typed, line)) ?? `${helpLine(command)} lists its options`,
      );
    case "commander.unknownCommand":
      return usage(message, (await commandHint(line)) ?? `${helpLine(command)} lists the commands`);
    case "commander.excessArguments": {
      const operand = command.args[command.registeredArguments.filter(({ variadic }) => !variadic).length] ?? "";
      const option = hasOption(command, `--${operand}`) ? `did you mean --${operand}?` : undefined;
      const verb = command.commands.length > 0 ? await commandHint(line) : undefined;
      const hint = option ?? verb ?? (await ownHint(line)) ?? exampleHint("--", command);
      return usage(`unexpected argument '${operand}'`, hint);
    }
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

/** Returns the line as one of `sms notify`, if `--` and a command stand in it and it then parses. */
async function notifyLine(line: WrongLine): Promise<string | undefined> {
  const at = line.argv.indexOf("send");
  return line.argv.includes("--") ? parsed(line.argv.with(at, "notify"), line) : undefined;
}

async function optionHint(typed: string, line: WrongLine): Promise<string | undefined> {
  const { argv, command } = line;
  const own = await ownHint(line);
  if (own !== undefined) return own;
  const value = argv[argv.indexOf(typed) + 1] ?? "";
  const reader = command.parent === null ? commandCalled("send", await line.program()) : command;
  const isOne = argv.includes("--to") || argv.includes("-t");
  const byValue =
    /^--recipients?$/.test(typed) && number.test(value)
      ? "--to"
      : typed === "--file" && isOne
        ? "--message-file"
        : undefined;
  const meant = byValue ?? optionMeant(typed, reader ?? command);
  return meant === undefined || isSentence(meant) ? meant : `did you mean ${meant}?`;
}

async function commandHint(line: WrongLine): Promise<string | undefined> {
  const { argv, command } = line;
  const whole = await line.program();
  const group = command.parent === null ? whole : (commandCalled(command.name(), whole) ?? command);
  const start = argv.indexOf(command.args[0] ?? "");
  const words = argv.slice(start);
  const meant = commandMeant(words, group);
  if (meant === undefined) return ownHint(line);
  const [name, replaced] = meant;
  if (isSentence(name)) return name;
  const rest = words.slice(replaced);
  const own = await parsed([...name.split(" "), ...rest], line);
  return `did you mean \`${own ?? `sms ${name}`}\`?`;
}

const number = /^\+?[\d(][\d\s().-]{6,}$/;

function optionFor(word: string): string {
  if (number.test(word) || /^@[\w.-]+$/.test(word)) return "--to";
  if (/\.(csv|tsv|txt|xlsx|ndjson)$/i.test(word)) return "--recipients";
  return /^https?:\/\//.test(word) ? "--base-url" : "--message";
}

/** Returns the person's own line, with its words behind the options that they are values of, if it then parses. */
async function ownHint(line: WrongLine): Promise<string | undefined> {
  const { argv, command } = line;
  if (argv.includes("--")) return undefined;
  const target = command.parent === null ? commandCalled("send", await line.program()) : command;
  const takesValue = (word = "") =>
    target?.options.some(({ required, long, short }) => required && (word === long || word === short)) ?? false;
  const isOption = argv.map((word, index) => word.startsWith("-") || takesValue(argv[index - 1]));
  const options = argv.filter((_, index) => isOption[index]);
  const names = nameOf(command).split(" ").filter(Boolean);
  const operands = argv
    .filter((_, index) => !isOption[index])
    .slice(names.length)
    // As in `send hello to +254…`.
    .filter((word, index, words) => !(word === "to" && number.test(words[index + 1] ?? "")));
  const [first = ""] = operands;
  if (command.name() === "watch" && /\.\w+$/.test(first)) {
    const to = options.includes("--to") ? options : ["--to", "+2547XXXXXXXX", ...options];
    return `did you mean \`tail -F ${shellWord(first)} | sms watch ${to.map(shellWord).join(" ")}\`?`;
  }
  if (command.commands.length > 0 && command.parent !== null) {
    const verb = { optout: number.test(first) ? "add" : undefined, runs: "show" }[command.name()];
    const own = verb && (await parsed([...names, verb, ...argv.slice(argv.indexOf(first))], line));
    return own && `did you mean \`${own}\`?`;
  }
  if (command.parent === null && first !== "" && optionFor(first) !== "--to") return undefined;
  const meant = operands.map(optionFor);
  // A text that stands on both sides of a number would be put together as nobody typed it.
  if (!/^(v*t*|t*v*)$/.test(meant.map((option) => (option === "--message" ? "t" : "v")).join(""))) return undefined;
  const values = operands.flatMap((word, index) => (meant[index] === "--message" ? [] : [meant[index] ?? "", word]));
  const texts = operands.filter((_, index) => meant[index] === "--message");
  const message = texts.length === 0 ? [] : ["--message", texts.join(" ")];
  const own = await parsed([...(names.length === 0 ? ["send"] : names), ...options, ...values, ...message], line);
  return own && `did you mean \`${own}\`?`;
}

async function parsed(words: readonly string[], { program }: WrongLine): Promise<string | undefined> {
  try {
    await (await program()).parseAsync([...words], { from: "user" });
    return ["sms", ...words.map(shellWord)].join(" ");
  } catch {
    return undefined;
  }
}

/**
 * Returns the usage error for an option with one dash, such as `-to`, which commander reads as `-t o`, or `-m=hi`, which it
 * reads as the text "=hi"; undefined if there is none.
 */
export function oneDashSlip(words: readonly string[], command: CommandUnknownOpts): SmsError | undefined {
  // Words after the name of a command that sms runs are that command's.
  const takesCommand = command.registeredArguments.some(({ variadic }) => variadic);
  for (const word of words) {
    if (takesCommand && command.args.includes(word)) continue;
    const [name = ""] = word.split("=");
    if (command.options.some(({ long }) => long === `-${name}`))
      return usageError("USAGE", `unknown option '${name}'`, `did you mean -${name}?`);
    const option = command.options.find(({ required, short }) => required && short === name.slice(0, 2));
    if (/^-[\w-]+=/.test(word) && option !== undefined)
      return usageError(
        "USAGE",
        `unknown option '${name}='`,
        `did you mean ${option.long}=VALUE, or ${option.short} VALUE?`,
      );
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
