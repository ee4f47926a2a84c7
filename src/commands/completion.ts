import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { countries } from "../message/number.ts";
import type { Host } from "../host.ts";
import { plural } from "../words/count.ts";
import { agoText } from "../terminal/text.ts";
import { keyEntries } from "../profiles/keys.ts";
import { chooseProfile, loadStore } from "../profiles/resolve.ts";
import { commandCalled } from "./help/pages.ts";
import { topics } from "./help/topics.ts";
import type { Context, Run } from "../terminal/context.ts";
import { groupsFolder, groupsIn } from "../recipients/groups.ts";
import { namedProfile, openRecord } from "../profiles/record.ts";
import { acceptedBy } from "./shared/option-values.ts";
import { verb, withExamples, withGlobalOptions } from "./shared/options.ts";
import { plainView } from "../terminal/layout.ts";

/** `sms completion`: a verb for each shell, and their help. `program` returns the command line with all commands. */
export function completionCommand(run: Run, program: () => Promise<CommandUnknownOpts>) {
  const completion = new Command("completion").description(
    "Print a script that makes your shell complete the commands, options, names and files of `sms`.",
  );
  for (const [shell, { examples, script }] of Object.entries(shells)) {
    completion.addCommand(
      withGlobalOptions(verb(shell, `print the script for ${shell}`, ...examples), []).action((_, command) =>
        run(command, async (_options, { presenter }) => presenter.show(plainView(script))),
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
  return withExamples(
    completion,
    Object.values(shells).flatMap(({ examples }) => examples),
  );
}

/** Printed in place of candidates: the shell offers its own file names. No candidate begins with a tab. */
const fileLine = "\tfile\n";

/** The shells that can complete `sms`. A script only asks `sms completion candidates`, so new commands do not change it. */
const shells = {
  // bash inserts COMPREPLY verbatim, so the script quotes special characters.
  bash: {
    examples: ["source <(sms completion bash)", "sms completion bash > ~/.local/share/bash-completion/completions/sms"],
    script: `_sms() {
  local line word part
  local words=("\${COMP_WORDS[@]:1:COMP_CWORD}")
  local typed=\${COMP_LINE:0:COMP_POINT}
  typed=\${typed##*[[:space:]]}
  # bash splits @oncall and run:topup, and replaces the parts @oncall and topup.
  case $typed in
    @) part=1 ;; @*|run:) part=2 ;; run:*) part=3 ;;
  esac
  if [[ -n $part ]]; then
    words=("\${COMP_WORDS[@]:1:COMP_CWORD-part}" "$typed")
    part=\${typed%"\${typed##*:}"}
  fi
  COMPREPLY=()
  while IFS= read -r line; do
    if [[ $line == $'\\tfile' ]]; then
      compopt -o default 2>/dev/null
    else
      word=\${line%%$'\\t'*}
      printf -v word %q "\${word#"$part"}"
      COMPREPLY+=("$word")
    fi
  done < <(sms completion candidates -- "\${words[@]}" 2>/dev/null)
}
complete -F _sms sms
`,
  },
  zsh: {
    examples: [
      "source <(sms completion zsh)     # in ~/.zshrc, after compinit",
      "sms completion zsh > ~/.zfunc/_sms     # if ~/.zfunc is in fpath",
    ],
    script: `#compdef sms
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
  },
  fish: {
    examples: ["sms completion fish | source", "sms completion fish > ~/.config/fish/completions/sms.fish"],
    script: `function __sms_candidates
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
  },
};

interface Candidate {
  readonly word: string;
  readonly summary: string;
}

/** What can be at the cursor: these words, a file, a country, or what is stored on this machine under a name. */
type Wanted = readonly Candidate[] | "file" | "countries" | "profiles" | "keys" | "runs" | "excluded runs" | "lists";

/** Prints the words that can be at the end of a command line: a line for each, with its summary after a tab. */
async function printCandidates(
  words: readonly string[],
  program: CommandUnknownOpts,
  { host, presenter }: Context,
): Promise<void> {
  const reading = read(program, words.slice(0, -1));
  const { command, option, takesOptions, profile } = reading;
  const last = words.at(-1) ?? "";
  const [assigned = "", name = ""] = (option === undefined && takesOptions && /^(--[^=]+)=/.exec(last)) || [];
  const owner = option ?? optionCalled(name, command);
  const before = owner === undefined ? "" : assigned;
  const typed = option !== undefined && last === "=" ? "" : last.slice(before.length);
  const wanted = owner === undefined ? wordAfter(reading, last) : valueOf(owner, command, typed);
  if (wanted === "file") {
    presenter.show(plainView(fileLine));
    return;
  }
  const lines = (typeof wanted === "string" ? await named(wanted, profile, host) : wanted)
    .filter(({ word }) => word.startsWith(typed))
    .map(({ word, summary }) => `${before}${word}\t${summary}\n`);
  presenter.show(plainView(lines.join("")));
}

async function named(
  names: Exclude<Wanted, "file" | readonly Candidate[]>,
  profile: string | undefined,
  host: Host,
): Promise<readonly Candidate[]> {
  switch (names) {
    case "countries":
      return countries().map(({ code, name }) => ({ word: code, summary: name }));
    case "profiles":
      return Object.entries(loadStore(host).profiles).map(([word, { baseUrl = "" }]) => ({ word, summary: baseUrl }));
    case "keys":
      return (await keyEntries(chooseProfile(host, profile).profile, host.now(), async () => ({}))).map(
        ({ name, mode, ageDays }) => ({ word: name, summary: `${mode}, ${plural(ageDays, "day")} old` }),
      );
    case "runs":
      return recordedRuns(profile, host);
    case "excluded runs":
      return (await recordedRuns(profile, host)).map(({ word, summary }) => ({ word: `run:${word}`, summary }));
    case "lists": {
      const folder = groupsFolder(host);
      return folder === undefined
        ? []
        : groupsIn(folder).map(({ name, file }) => ({ word: `@${name}`, summary: file }));
    }
  }
}

async function recordedRuns(profile: string | undefined, host: Host): Promise<readonly Candidate[]> {
  const runs = await (await openRecord(host, namedProfile(host, profile))?.runs())?.list();
  return (runs ?? []).map((listed) => {
    if (listed.kind === "unreadable") return { word: listed.name, summary: "cannot be read" };
    const { name, plan, started } = listed.run.header;
    return { word: name, summary: `${plural(plan.messages, "message")}, ${agoText(Date.parse(started), host.now())}` };
  });
}

type Option = CommandUnknownOpts["options"][number];

interface Reading {
  readonly command: CommandUnknownOpts;
  readonly operands: readonly string[];
  readonly option: Option | undefined;
  /** Whether an option may follow: false after `--`. */
  readonly takesOptions: boolean;
  readonly profile: string | undefined;
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

function optionCalled(name: string, command: CommandUnknownOpts): Option | undefined {
  return command.options.find(({ long, short, required }) => required && (name === long || name === short));
}

function valueOf({ flags, long, parseArg }: Option, command: CommandUnknownOpts, typed: string): Wanted {
  if (long === "--to" && command.name() === "send") return "lists";
  if (long === "--exclude" && typed.startsWith("run:")) return "excluded runs";
  if (long === "--profile") return "profiles";
  if (long === "--run") return "runs";
  if (long === "--country") return "countries";
  if (flags.endsWith("<file>")) return "file";
  return choicesOf(parseArg) ?? [];
}

function choicesOf(parser: object | undefined): readonly Candidate[] | undefined {
  return acceptedBy(parser).choices?.map((word) => ({ word, summary: "" }));
}

/** What a word can be that is not the value of an option. */
function wordAfter({ command, operands, takesOptions }: Reading, typed: string): Wanted {
  const isGroup = command.commands.length > 0;
  if (isGroup && operands.length > 0) return [];
  if (!takesOptions && ["send", "exec"].includes(command.name())) return "file";
  const takesNothingElse = !isGroup && command.registeredArguments.length === 0;
  if (takesOptions && (typed.startsWith("-") || takesNothingElse)) return optionsOf(command);
  return isGroup ? commandsOf(command) : operandOf(command, operands);
}

function optionsOf(command: CommandUnknownOpts): readonly Candidate[] {
  const options = command.createHelp().visibleOptions(command);
  return options.flatMap(({ long, description }) => (long ? [{ word: long, summary: description }] : []));
}

function operandOf(command: CommandUnknownOpts, operands: readonly string[]): Wanted {
  const argument = command.registeredArguments[operands.length];
  if (command.name() === "help") return pagesAfter(operands, command.parent ?? command);
  if (argument === undefined) return [];
  const choices = choicesOf(argument.parseArg);
  if (choices !== undefined) return choices;
  const name = argument.name();
  if (operands[0] === "country" && name === "value") return "countries";
  if (name === "file" || (operands[0] === "only-to" && name === "value")) return "file";
  const isName = ["name", "from"].includes(name) && command.name() !== "add";
  const group = command.parent?.name();
  const isStored = group === "profiles" || group === "keys" || group === "runs";
  return isStored && isName ? group : [];
}

/** What can follow `help`: a command, a topic, or a command of the one that is named. */
function pagesAfter([name]: readonly string[], program: CommandUnknownOpts): readonly Candidate[] {
  if (name === undefined)
    return [...commandsOf(program), ...topics.map(({ name: word, summary }) => ({ word, summary }))];
  const group = commandCalled(name, program);
  return group === undefined ? [] : commandsOf(group);
}

function commandsOf(command: CommandUnknownOpts): readonly Candidate[] {
  const help = command.createHelp();
  return help
    .visibleCommands(command)
    .map((known) => ({ word: known.name(), summary: help.subcommandDescription(known) }));
}
