import type { CommanderError, CommandUnknownOpts } from "@commander-js/extra-typings";
import type { FailureReport } from "../../../output/text.ts";
import { explanationOf } from "../examples.ts";
import { nameOf } from "../options.ts";
import { adviceFor, commandHint, didYouMean, exists, hasOption, optionHint, pageOf, shown } from "./hints.ts";
import { lineWithOptions } from "./send-line.ts";
import { argumentOptions, groupSynonyms, keyAdvice } from "./synonyms.ts";
import { lineOf, operandsOf, wordsOf, type WrongLine } from "./words.ts";

const key = /\bsk_(test|live)_/;

type Report = Pick<FailureReport, "message" | "errorCode" | "hint" | "details">;

/** Returns what to say about a command line that commander refuses, and what to type instead. */
export function slipReport({ code, message: text }: CommanderError, line: WrongLine): Report {
  const [message = "", suggestion = ""] = text.replace(/^error: /, "").split("\n");
  const near = suggestion.replace(/^\(Did you mean (one of )?|\?\)$/g, "").split(", ");
  const suggested = near.filter((word) => word !== "" && word !== "--yes" && !isAlias(word, line.command));
  const [, typed = ""] = /'([^'=]*)/.exec(message) ?? [];
  switch (code) {
    case "commander.help":
      return {
        message: "no command is given",
        errorCode: "NO_COMMAND",
        hint: `${pageOf(line.command)} lists the commands`,
      };
    case "commander.unknownOption":
      // Commander does not know an option that takes no value by `--option=value`.
      if (hasOption(line.command, typed)) {
        return usage(`${typed} takes no value`, key.test(message) ? keyAdvice : "give it alone, or leave it out");
      }
      return usage(`unknown option '${typed}'`, optionHint(typed, suggested, line));
    case "commander.unknownCommand":
      return usage(message, commandHint(suggested, line));
    case "commander.excessArguments":
      return excess(line);
    case "commander.missingArgument":
      return { ...usage(message, exampleHint("", line.command)), details: [usageLine(line.command)] };
    case "commander.optionMissingArgument": {
      const [, long = ""] = /(--[\w-]+)/.exec(message) ?? [];
      return usage(`${long} has no value`, exampleHint(long, line.command));
    }
    default:
      return usage(message, `${pageOf(line.command)} shows how to use it`);
  }
}

function usage(message: string, hint: string): Report {
  return { message, errorCode: "USAGE", hint };
}

function excess({ argv, command, program, hasCountry }: WrongLine): Report {
  const words = wordsOf(argv, program);
  const operand = operandsOf(words)[command.registeredArguments.filter(({ variadic }) => !variadic).length] ?? "";
  const message = `unexpected argument '${operand}'`;
  const name = nameOf(command);
  const isAddress = /[.:]/.test(operand);
  const option = name === "login" && !isAddress ? "--profile" : argumentOptions[name];
  if (operand === "help") return usage(message, didYouMean([pageOf(command)]));
  if (hasOption(command, "--message")) {
    return usage(message, `type ${lineWithOptions(words, hasOption(command, "--to"), hasCountry)}`);
  }
  const verb = adviceFor(operand, groupSynonyms[name] ?? [], (meant) => exists(program, meant), shown);
  if (verb !== undefined) return usage(message, verb);
  if (key.test(operand)) return usage(message, keyAdvice);
  if (option !== undefined) return usage(message, didYouMean([`\`${lineOf([name, option, operand])}\``]));
  return { ...usage(message, exampleHint("", command)), details: [usageLine(command)] };
}

function exampleHint(long: string, command: CommandUnknownOpts): string {
  const examples = explanationOf(command).examples.filter((example) => !example.includes("\n"));
  const example = examples.find((line) => line.includes(long)) ?? examples[0];
  return example === undefined ? `${pageOf(command)} shows how to use it` : `for example: \`${example}\``;
}

function usageLine(command: CommandUnknownOpts): string {
  return `Usage: ${command.createHelp().commandUsage(command)}`;
}

function isAlias(name: string, group: CommandUnknownOpts): boolean {
  return group.commands.some((own) => own.aliases().includes(name));
}
