import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { countries } from "../message/number.ts";
import type { Host } from "../host.ts";
import { agoText, plural } from "../output/text.ts";
import { plainView } from "../output/views.ts";
import { keyEntries } from "../profiles/keys.ts";
import { chooseProfile, loadStore } from "../profiles/resolve.ts";
import { topics } from "./help/topics.ts";
import type { Context, Run } from "./shared/context.ts";
import { openRecord } from "./shared/record.ts";
import { acceptedBy } from "./shared/option-values.ts";
import { verb, withExamples, withGlobalOptions } from "./shared/options.ts";

const shells: readonly Shell[] = ["bash", "zsh", "fish"];

const examples: Readonly<Record<Shell, readonly string[]>> = {
  bash: ["source <(sms completion bash)", "sms completion bash > ~/.local/share/bash-completion/completions/sms"],
  zsh: [
    "source <(sms completion zsh)     # in ~/.zshrc, after compinit",
    "sms completion zsh > ~/.zfunc/_sms     # if ~/.zfunc is in fpath",
  ],
  fish: ["sms completion fish | source", "sms completion fish > ~/.config/fish/completions/sms.fish"],
};

/** `sms completion`: a verb for each shell, and their help. `program` returns the command line with all commands. */
export function completionCommand(run: Run, program: () => Promise<CommandUnknownOpts>) {
  const completion = new Command("completion")
    .summary("print a completion script for your shell")
    .description("Print a script that makes your shell complete the commands, options, names and files of `sms`.");
  for (const shell of shells) {
    completion.addCommand(
      withGlobalOptions(verb(shell, `print the script for ${shell}`, ...examples[shell]), []).action((_, command) =>
        run(command, async (_options, { presenter }) => {
          presenter.show(plainView(completionScripts[shell]));
        }),
      ),
    );
  }
  completion.addCommand(
    withGlobalOptions(verb("candidates", "print completions", "sms completion candidates -- runs sh"), [])
      .description("Print the words that can come next, one a line. The scripts call it.")
      .argument("[words...]", "the words after sms; the last is the one being typed")
      .action((words, _, command) =>
        run(command, async (_options, context) => printCandidates(words, await program(), context)),
      ),
    { hidden: true },
  );
  return withExamples(completion, Object.values(examples).flat());
}

/** A shell that can complete `sms`. */
type Shell = "bash" | "zsh" | "fish";

/** Printed in place of candidates: the shell offers its own file names. No candidate begins with a tab. */
const fileLine = "\tfile\n";

/** The script for each shell. It only asks `sms completion candidates`, so new commands do not change it. */
const completionScripts: Readonly<Record<Shell, string>> = {
  // bash inserts COMPREPLY verbatim, so the script quotes special characters.
  bash: `_sms() {
  local line word
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $'\\tfile' ]]; then
      compopt -o default 2>/dev/null
    else
      printf -v word %q "\${line%%$'\\t'*}"
      COMPREPLY+=("$word")
    fi
  done < <(sms completion candidates -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _sms sms
`,
  zsh: `#compdef sms
_sms() {
  local line word summary
  local -a candidates
  for line in "\${(@f)$(sms completion candidates -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
    if [[ $line == $'\\tfile' ]]; then
      compset -P '--*='
      _files
      return
    fi
    [[ -n $line ]] || continue
    word=\${line%%$'\\t'*}
    word=\${word//\\\\/\\\\\\\\}
    summary=\${line#*$'\\t'}
    candidates+=("\${word//:/\\\\:}\${summary:+:$summary}")
  done
  _describe sms candidates
}
if [[ \${funcstack[1]} == _sms ]]; then _sms "$@"; else compdef _sms sms; fi
`,
  fish: `function __sms_candidates
    set --local typed (commandline --current-token)
    set --local words (commandline --tokenize --cut-at-cursor --current-process)
    set --local found (sms completion candidates -- $words[2..] "$typed" 2>/dev/null)
    if test "$found" = \\tfile
        __fish_complete_path "$typed"
    else
        printf '%s\\n' $found
    end
end
complete --command sms --no-files --arguments '(__sms_candidates)'
`,
};

/** Prints the words that can be at the end of a command line: a line for each, with its summary after a tab. */
async function printCandidates(
  words: readonly string[],
  program: CommandUnknownOpts,
  { host, presenter }: Context,
): Promise<void> {
  const { wanted, before, typed, profile } = placeIn(program, words);
  if (wanted.kind === "file") {
    presenter.show(plainView(fileLine));
    return;
  }
  const candidates = wanted.kind === "words" ? wanted.words : await candidatesOf(wanted.of, profile, host);
  const lines = candidates
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, summary }) => `${before}${word}\t${summary}\n`);
  presenter.show(plainView(lines.join("")));
}

async function candidatesOf(names: Names, profile: string | undefined, host: Host): Promise<readonly Candidate[]> {
  switch (names) {
    case "runs":
      return recordedRuns(host);
    case "profiles":
      return Object.entries(loadStore(host).profiles).map(([word, { baseUrl = "" }]) => ({ word, summary: baseUrl }));
    case "keys":
      return keyEntries(chooseProfile(host, profile).profile, host).map(({ name, mode, ageDays, active, retired }) => ({
        word: name,
        summary: `${mode}, ${plural(ageDays, "day")} old${active ? ", in use" : ""}${retired ? ", retired" : ""}`,
      }));
    case "countries":
      return countries().map(({ code, name }) => ({ word: code, summary: name }));
  }
}

async function recordedRuns(host: Host): Promise<readonly Candidate[]> {
  const runs = await (await openRecord(host)?.runs())?.list();
  return (runs ?? []).map((listed) => {
    if (listed.kind === "unreadable") return { word: listed.name, summary: "cannot be read" };
    const { name, plan, started } = listed.run.header;
    return { word: name, summary: `${plural(plan.messages, "message")}, ${agoText(Date.parse(started), host.now())}` };
  });
}

/** A word that can be at the cursor, and what it is. */
interface Candidate {
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
function placeIn(program: CommandUnknownOpts, words: readonly string[]): Place {
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
