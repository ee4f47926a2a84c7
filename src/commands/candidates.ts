import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { topics } from "./help.ts";
import { choicesOf } from "./options.ts";

/** A word that may stand at the cursor, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** What may stand at the cursor: one of some words, a name kept on this machine, or a file. */
export type Wanted =
  | { readonly kind: "words"; readonly words: readonly Candidate[] }
  | { readonly kind: "names"; readonly of: Kept }
  | { readonly kind: "file" };

/** What has names that are kept on this machine. */
export type Kept = "profiles" | "keys" | "runs";

/** The place of the cursor in a command line. */
export interface Place {
  readonly wanted: Wanted;
  /** What stands before it in the same word and is to be kept, such as `--tier=`. */
  readonly before: string;
  /** The start of what is wanted, as far as it is typed. */
  readonly typed: string;
  /** The profile that an earlier option names. */
  readonly profile: string | undefined;
}

type Option = CommandUnknownOpts["options"][number];

const nothing: Wanted = { kind: "words", words: [] };

/** The place of the cursor in the last of these words, which stand after the program's name. */
export function placeIn(program: CommandUnknownOpts, words: readonly string[]): Place {
  const { command, option, operands, takesOptions, profile } = read(program, words.slice(0, -1));
  const typed = words.at(-1) ?? "";
  if (option !== undefined) {
    return { wanted: valueOf(option), before: "", typed: typed === "=" ? "" : typed, profile };
  }
  const [before = "", name = ""] = /^(--[^=]+)=/.exec(typed) ?? [];
  const assigned = takesOptions ? optionCalled(name, command) : undefined;
  if (assigned !== undefined) {
    return { wanted: valueOf(assigned), before, typed: typed.slice(before.length), profile };
  }
  const wantsOption = takesOptions && (typed.startsWith("-") || takesNothingElse(command));
  const wanted = wantsOption ? optionsOf(command) : operandOf(command, operands);
  return { wanted, before: "", typed, profile };
}

/** Reads whole words: which command they lead to, what it was given, and the option that still lacks its value. */
function read(program: CommandUnknownOpts, words: readonly string[]) {
  let command = program;
  let operands = 0;
  let option: Option | undefined;
  let takesOptions = true;
  let profile: string | undefined;
  for (const word of words) {
    if (option !== undefined) {
      // bash makes a word of its own of the = in --tier=free.
      if (word === "=") continue;
      if (option.long === "--profile") profile = word;
      option = undefined;
    } else if (takesOptions && word === "--") {
      takesOptions = false;
    } else if (takesOptions && word.startsWith("-")) {
      option = optionCalled(word, command);
      if (word.startsWith("--profile=")) profile = word.slice("--profile=".length);
    } else {
      const next = command.commands.find((known) => known.name() === word);
      if (next === undefined) operands++;
      else command = next;
    }
  }
  return { command, option, operands, takesOptions, profile };
}

/** The option of that name, where it takes a value. */
function optionCalled(name: string, command: CommandUnknownOpts): Option | undefined {
  return command.options.find(({ long, short, required }) => required && (name === long || name === short));
}

function valueOf({ flags, long, parseArg }: Option): Wanted {
  if (long === "--profile") return { kind: "names", of: "profiles" };
  if (long === "--run") return { kind: "names", of: "runs" };
  if (flags.endsWith("<file>")) return { kind: "file" };
  return { kind: "words", words: choicesOf(parseArg).map((word) => ({ word, summary: "" })) };
}

function takesNothingElse({ commands, registeredArguments }: CommandUnknownOpts): boolean {
  return commands.length === 0 && registeredArguments.length === 0;
}

function optionsOf(command: CommandUnknownOpts): Wanted {
  const options = command.createHelp().visibleOptions(command);
  const words = options.flatMap(({ long, description }) =>
    long ? [{ word: long, summary: description }] : [],
  );
  return { kind: "words", words };
}

function operandOf(command: CommandUnknownOpts, index: number): Wanted {
  if (index === 0 && command.commands.length > 0) return { kind: "words", words: commandsOf(command) };
  if (index === 0 && command.name() === "help") {
    const pages = topics.map(({ name, summary }) => ({ word: name, summary }));
    return { kind: "words", words: [...commandsOf(command.parent ?? command), ...pages] };
  }
  const argument = command.registeredArguments[index]?.name();
  const isNew = command.name() === "add" || argument === "to";
  const group = command.parent?.name();
  const isKept = group === "profiles" || group === "keys" || group === "runs";
  return isKept && argument !== undefined && !isNew ? { kind: "names", of: group } : nothing;
}

function commandsOf(command: CommandUnknownOpts): readonly Candidate[] {
  const help = command.createHelp();
  return help
    .visibleCommands(command)
    .map((known) => ({ word: known.name(), summary: help.subcommandDescription(known) }));
}
