import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { shellWord } from "../../../core/shell-word.ts";

/**
 * A word of a command line: the name of a command, an option with the value that follows it, an operand, or for `send` the `--`
 * or a word after it.
 */
export type Word =
  | { readonly kind: "command" | "after"; readonly text: string }
  | { readonly kind: "option"; readonly text: string; readonly value: string | undefined }
  | { readonly kind: "operand"; readonly text: string };

/** A command line that cannot be parsed. */
export interface WrongLine {
  readonly argv: readonly string[];
  /** The command that could not parse it. */
  readonly command: CommandUnknownOpts;
  /** The command line with all commands. */
  readonly program: CommandUnknownOpts;
  /** Whether a country is set without --country. */
  readonly hasCountry: boolean;
}

/** Returns the operands among the words. */
export function operandsOf(words: readonly Word[]): readonly string[] {
  return words.flatMap(({ kind, text }) => (kind === "operand" ? [text] : []));
}

/** Returns the words of a command line as the parser reads them. All after `--` are operands, but for `send`. */
export function wordsOf(argv: readonly string[], program: CommandUnknownOpts): readonly Word[] {
  const words: Word[] = [];
  let command = program;
  for (let index = 0; index < argv.length; index++) {
    const text = argv[index] ?? "";
    if (text === "--") {
      const isSend = command.name() === "send";
      const kind = isSend ? "after" : "operand";
      return [...words, ...argv.slice(isSend ? index : index + 1).map((word) => ({ kind, text: word }) as const)];
    }
    const next = command.commands.find((own) => own.name() === text || own.aliases().includes(text));
    if (text.startsWith("-") && text !== "-") {
      const takesValue = command.options.some((own) => own.required && (own.long === text || own.short === text));
      if (takesValue) index++;
      words.push({ kind: "option", text, value: takesValue ? argv[index] : undefined });
    } else if (next !== undefined && !words.some(({ kind }) => kind === "operand")) {
      command = next;
      words.push({ kind: "command", text });
    } else words.push({ kind: "operand", text });
  }
  return words;
}

/** Returns words as a shell line of `sms`. */
export function lineOf(words: readonly string[]): string {
  return ["sms", ...words.map(quoted)].join(" ");
}

/** Quotes a word if it needs that; like the examples of the help with double quotes, unless the shell would expand it. */
function quoted(word: string): string {
  const quotedWord = shellWord(word);
  return quotedWord === word || /["$`\\!]/.test(word) ? quotedWord : `"${word}"`;
}
