import type { CommanderError, CommandUnknownOpts } from "@commander-js/extra-typings";
import { type SmsError, usageError } from "../../errors.ts";
import { nearest } from "../../words/nearest.ts";
import type { FailureReport } from "../../terminal/text.ts";
import { spilledKeyAdvice } from "../../profiles/stored.ts";
import { commandCalled, helpLine } from "../help/pages.ts";
import { explanationOf, nameOf } from "./options.ts";

export interface WrongLine {
  readonly argv: readonly string[];
  readonly command: CommandUnknownOpts;
  readonly program: CommandUnknownOpts;
}

const key = /\bsk_(test|live)_/;

/** What people of other tools type, behind what it means here: an option, a command, a verb of the group, or a sentence. */
export const meanings: Readonly<Record<string, string>> = {
  "--sender": "--from --originator",
  "--message": "--body --text --content",
  "--to": "--phone --number --dst --destination",
  "--recipients": "--file --input --csv",
  "--base-url": "--url --host --endpoint",
  "--verbose": "--debug -v",
  "--dry-run": "--simulate",
  "--max-credits": "--budget",
  "--rate": "--tier",
  "--exclude": "--ignore",
  "--once": "--idempotency-key",
  "--quiet": "--silent",
  "--between": "--hours",
  "--limit": "--last",
  "--only failure": "--on-failure",
  "--only success": "--on-success",
  "keys are never flags: set SMS_API_KEY, or `sms login` asks": "--api-key --key --token --secret",
  "passwords are never flags: set SMS_EMAIL and SMS_PASSWORD": "--password --email",
  "results go to standard output: --json prints JSON, and > FILE keeps it": "--output -o",
  "nothing can be forced: at a terminal sms asks": "--force",
  "the service has no look-up: `sms history --to NUMBER` lists what was sent": "lookup",
  send: "message messages create",
  status: "whoami auth account balance",
  history: "list ls logs get",
  spend: "cost usage",
  preview: "count",
  optout: "block unsubscribe",
  use: "switch",
  add: "create",
  show: "get view",
  "profiles use": "switch",
  "runs resume": "resume",
  "--version": "version",
};

/** Whoever mistypes a word must not be led to delete something, or to answer a question unseen. */
const neverSuggested = new Set(["remove", "rm", "logout", "close", "unlock", "--yes", "--unset", "--prune"]);

/**
 * Returns what to say about a command line that commander refuses. It names the fault, an option, a command, or a fixed
 * example, and never repeats the words in another order: whoever types such a line may send a text that nobody wrote.
 */
export function slipReport({ code, message: text }: CommanderError, line: WrongLine) {
  const { argv, command } = line;
  const [message = ""] = text.replace(/^error: /, "").split("\n");
  const [, typed = ""] = /'([^'=]*)/.exec(message) ?? [];
  const usage = (what: string, hint: string): Pick<FailureReport, "message" | "errorCode" | "hint" | "details"> => ({
    message: what,
    errorCode: "USAGE",
    hint: argv.some((word) => key.test(word)) ? spilledKeyAdvice : hint,
  });
  switch (code) {
    case "commander.help":
      return { ...usage("no command is given", `${helpLine(command)} lists the commands`), errorCode: "NO_COMMAND" };
    case "commander.unknownOption":
      // Commander does not know an option that takes no value by `--option=value`.
      if (hasOption(command, typed)) return usage(`${typed} takes no value`, "give it alone, or leave it out");
      return usage(`unknown option '${typed}'`, meant(typed, line) ?? `${helpLine(command)} lists its options`);
    case "commander.unknownCommand":
      return usage(message, meant(typed, line) ?? `${helpLine(command)} lists the commands`);
    case "commander.excessArguments": {
      const operand = command.args[command.registeredArguments.filter(({ variadic }) => !variadic).length] ?? "";
      const option = hasOption(command, `--${operand}`) ? `did you mean --${operand}?` : undefined;
      return usage(`unexpected argument '${operand}'`, option ?? meant(operand, line) ?? exampleHint("--", command));
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

/** Returns what an unknown word means: by the table, else the nearest word; of `send` for an option without a command. */
function meant(typed: string, { command, program }: WrongLine): string | undefined {
  const isOption = typed.startsWith("-");
  const whole = command.parent === null ? program : command;
  const reader = (isOption && command.parent === null && commandCalled("send", program)) || whole;
  if (reader !== command && hasOption(reader, typed)) return "it is an option of `sms send`";
  const said = Object.keys(meanings).filter((meaning) => meanings[meaning]?.split(" ").includes(typed));
  const names = isOption
    ? reader
        .createHelp()
        .visibleOptions(reader)
        .map(({ long }) => long ?? "")
    : reader.commands.map((own) => own.name());
  const found =
    said.find((meaning) => exists(reader, meaning)) ??
    said.find((meaning) => /[:,]/.test(meaning)) ??
    nearest(
      typed,
      names.filter((name) => !neverSuggested.has(name)),
    );
  if (found === undefined || /[:,]/.test(found)) return found;
  return `did you mean ${isOption ? found : shown(`${nameOf(command)} ${found}`.trim())}?`;
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

/** Returns whether there is such a command with such an option, as in `send --recipients FILE`. */
export function exists(command: CommandUnknownOpts, phrase: string): boolean {
  const [word = "", ...rest] = phrase.split(" ");
  if (word === "" || /^[A-Z]/.test(word)) return true;
  if (word.startsWith("-")) return hasOption(command, word);
  const own = commandCalled(word, command);
  return own !== undefined && exists(own, rest.join(" "));
}

export function hasOption(command: CommandUnknownOpts, text: string): boolean {
  const [name] = text.split(" ");
  return command
    .createHelp()
    .visibleOptions(command)
    .some(({ long, short }) => long === name || short === name);
}

/** Returns the example of the command's help that has this text, or the first one. */
function exampleHint(text: string, command: CommandUnknownOpts): string {
  const examples = explanationOf(command).examples.filter((example) => !example.includes("\n"));
  const example = examples.find((line) => line.includes(text)) ?? examples[0];
  return example === undefined
    ? `${helpLine(command)} shows how to use it`
    : `for example: \`${example.replace(/\+\d{9,}/, "+2547XXXXXXXX")}\``;
}

function shown(command: string): string {
  return `\`sms ${command}\``;
}
