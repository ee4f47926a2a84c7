import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { topics } from "../../output/help-topics.ts";
import { acceptedBy } from "../shared/option-values.ts";

/** A word that can be at the cursor, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** What can be at the cursor: one of some words, a name stored on this machine, a country, or a file. */
type Wanted =
  | { readonly kind: "words"; readonly words: readonly Candidate[] }
  | { readonly kind: "names"; readonly of: Names }
  | { readonly kind: "file" };

/** What has names that are not in the definitions: they are stored on this machine, or are countries. */
export type Names = "profiles" | "keys" | "runs" | "countries";

/** The place of the cursor in a command line. */
export interface Place {
  readonly wanted: Wanted;
  /** The part of the word before it, such as `--format=`. */
  readonly before: string;
  /** What is typed of it so far. */
  readonly typed: string;
  /** The profile that an earlier option names. */
  readonly profile: string | undefined;
}

type Option = CommandUnknownOpts["options"][number];

/** What the words before the cursor mean. */
interface Reading {
  readonly command: CommandUnknownOpts;
  /** The operands before the cursor. */
  readonly operands: readonly string[];
  /** The option whose value comes next. */
  readonly option: Option | undefined;
  /** Whether an option may follow: false after `--`. */
  readonly takesOptions: boolean;
  readonly profile: string | undefined;
}

const nothing: Wanted = { kind: "words", words: [] };

/** Returns the place of the cursor, which is in the last of these words; they follow the name of the program. */
export function placeIn(program: CommandUnknownOpts, words: readonly string[]): Place {
  const reading = read(program, words.slice(0, -1));
  const { command, option, takesOptions, profile } = reading;
  const typed = words.at(-1) ?? "";
  if (option !== undefined) {
    return { wanted: valueOf(option), before: "", typed: typed === "=" ? "" : typed, profile };
  }
  const [before = "", name = ""] = /^(--[^=]+)=/.exec(typed) ?? [];
  const assigned = takesOptions ? optionCalled(name, command) : undefined;
  if (assigned !== undefined) {
    return { wanted: valueOf(assigned), before, typed: typed.slice(before.length), profile };
  }
  return { wanted: wordAfter(reading, typed), before: "", typed, profile };
}

function read(program: CommandUnknownOpts, words: readonly string[]): Reading {
  let command = program;
  let operands: readonly string[] = [];
  let option: Option | undefined;
  let takesOptions = true;
  let profile: string | undefined;
  for (const word of words) {
    if (option !== undefined) {
      // bash splits --format=csv into three words.
      if (word === "=") continue;
      if (option.long === "--profile") profile = word;
      option = undefined;
    } else if (takesOptions && word === "--") {
      takesOptions = false;
    } else if (takesOptions && word.startsWith("-")) {
      option = optionCalled(word, command);
      if (word.startsWith("--profile=")) profile = word.slice("--profile=".length);
    } else {
      const next = commandCalled(word, command);
      if (next === undefined) operands = [...operands, word];
      else command = next;
    }
  }
  return { command, option, operands, takesOptions, profile };
}

/** The option of that name, if it takes a value. */
function optionCalled(name: string, command: CommandUnknownOpts): Option | undefined {
  return command.options.find(({ long, short, required }) => required && (name === long || name === short));
}

function valueOf({ flags, long, parseArg }: Option): Wanted {
  if (long === "--profile") return { kind: "names", of: "profiles" };
  if (long === "--run") return { kind: "names", of: "runs" };
  if (long === "--country") return { kind: "names", of: "countries" };
  if (flags.endsWith("<file>")) return { kind: "file" };
  return { kind: "words", words: (acceptedBy(parseArg).choices ?? []).map((word) => ({ word, summary: "" })) };
}

/** What a word can be that is not the value of an option. */
function wordAfter({ command, operands, takesOptions }: Reading, typed: string): Wanted {
  const isGroup = command.commands.length > 0;
  if (isGroup && operands.length > 0) return nothing;
  if (!takesOptions && ["send", "exec"].includes(command.name())) return { kind: "file" };
  const takesNothingElse = !isGroup && command.registeredArguments.length === 0;
  if (takesOptions && (typed.startsWith("-") || takesNothingElse)) return optionsOf(command);
  return isGroup ? { kind: "words", words: commandsOf(command) } : operandOf(command, operands);
}

function optionsOf(command: CommandUnknownOpts): Wanted {
  const options = command.createHelp().visibleOptions(command);
  const words = options.flatMap(({ long, description }) => (long ? [{ word: long, summary: description }] : []));
  return { kind: "words", words };
}

function operandOf(command: CommandUnknownOpts, operands: readonly string[]): Wanted {
  const argument = command.registeredArguments[operands.length];
  if (command.name() === "help") return { kind: "words", words: pagesAfter(operands, command.parent ?? command) };
  if (argument === undefined) return nothing;
  const { choices } = acceptedBy(argument.parseArg);
  if (choices !== undefined) return { kind: "words", words: choices.map((word) => ({ word, summary: "" })) };
  const name = argument.name();
  if (operands[0] === "country" && name === "value") return { kind: "names", of: "countries" };
  if (name === "file" || (operands[0] === "only-to" && name === "value")) return { kind: "file" };
  const isName = ["name", "from"].includes(name) && command.name() !== "add";
  const group = command.parent?.name();
  const isStored = group === "profiles" || group === "keys" || group === "runs";
  return isStored && isName ? { kind: "names", of: group } : nothing;
}

/** What can follow these words after `help`: a command of the one they name, or a topic of `sms help`. */
function pagesAfter([word, ...rest]: readonly string[], group: CommandUnknownOpts): readonly Candidate[] {
  if (word !== undefined) {
    const next = commandCalled(word, group);
    return next === undefined ? [] : pagesAfter(rest, next);
  }
  const pages = group.parent === null ? topics.map(({ name, summary }) => ({ word: name, summary })) : [];
  return [...commandsOf(group), ...pages];
}

function commandCalled(word: string, group: CommandUnknownOpts): CommandUnknownOpts | undefined {
  return group.commands.find((known) => known.name() === word || known.aliases().includes(word));
}

function commandsOf(command: CommandUnknownOpts): readonly Candidate[] {
  const help = command.createHelp();
  return help
    .visibleCommands(command)
    .map((known) => ({ word: known.name(), summary: help.subcommandDescription(known) }));
}
