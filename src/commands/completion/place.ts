import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { topics } from "../help/topics.ts";
import { choicesOf } from "../shared/options.ts";

/** A word that may stand at the cursor, and what it is. */
export interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** What may stand at the cursor: one of some words, a name kept on this machine, or a file. */
type Wanted =
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

/** What the words before the cursor come to. */
interface Reading {
  readonly command: CommandUnknownOpts;
  /** How many operands the command was given. */
  readonly operands: number;
  /** The option that still lacks its value. */
  readonly option: Option | undefined;
  /** Whether an option may follow: no `--` has stood before. */
  readonly takesOptions: boolean;
  readonly profile: string | undefined;
}

const nothing: Wanted = { kind: "words", words: [] };

/** The place of the cursor in the last of these words, which stand after the program's name. */
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

/** What a word may be that is no option's value. */
function wordAfter({ command, operands, takesOptions }: Reading, typed: string): Wanted {
  const isGroup = command.commands.length > 0;
  if (isGroup && operands > 0) return nothing;
  const takesNothingElse = !isGroup && command.registeredArguments.length === 0;
  if (takesOptions && (typed.startsWith("-") || takesNothingElse)) return optionsOf(command);
  return isGroup ? { kind: "words", words: commandsOf(command) } : operandOf(command, operands);
}

function optionsOf(command: CommandUnknownOpts): Wanted {
  const options = command.createHelp().visibleOptions(command);
  const words = options.flatMap(({ long, description }) =>
    long ? [{ word: long, summary: description }] : [],
  );
  return { kind: "words", words };
}

function operandOf(command: CommandUnknownOpts, index: number): Wanted {
  const argument = command.registeredArguments[index]?.name();
  if (argument === undefined) return nothing;
  if (command.name() === "help") {
    const pages = topics.map(({ name, summary }) => ({ word: name, summary }));
    return { kind: "words", words: [...commandsOf(command.parent ?? command), ...pages] };
  }
  const isNew = command.name() === "add" || argument === "to";
  const group = command.parent?.name();
  const isKept = group === "profiles" || group === "keys" || group === "runs";
  return isKept && !isNew ? { kind: "names", of: group } : nothing;
}

function commandsOf(command: CommandUnknownOpts): readonly Candidate[] {
  const help = command.createHelp();
  return help
    .visibleCommands(command)
    .map((known) => ({ word: known.name(), summary: help.subcommandDescription(known) }));
}
