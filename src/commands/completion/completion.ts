import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { readAsset } from "../../assets.ts";
import { countries } from "../../message/number-fault.ts";
import type { Host } from "../../host.ts";
import { readKey } from "../../key.ts";
import { profileInUse, loadStore } from "../../profiles/resolve.ts";
import { commandCalled, topics } from "../help/pages.ts";
import type { Context, Perform } from "../../terminal/context.ts";
import { listsFolder, listsIn } from "../../recipients/groups.ts";
import { namedProfile, openRecord } from "../../profiles/record.ts";
import { formOf } from "../../sending/option-values.ts";
import { newGroup, optionWithValue, verb } from "../shared/options.ts";
import { plainView } from "../../terminal/layout.ts";

export function completionCommand(perform: Perform, program: () => Promise<CommandUnknownOpts>) {
  const completion = newGroup(
    "completion",
    "Print a script that makes your shell complete the commands, options, names and files of `sms`.",
    ...Object.values(shells).flat(),
  );
  for (const [shell, examples] of Object.entries(shells)) {
    const script = () => readAsset(`completion/sms.${shell}`).toString();
    completion.addCommand(
      verb(shell, `print the script for ${shell}`, "done", [], ...examples).action((_, command) =>
        perform(command, async (_options, { presenter }) => presenter.show(plainView(script()))),
      ),
    );
  }
  return completion.addCommand(
    verb("candidates", "print completions", "done", [], "sms completion candidates -- runs sh")
      .description("Print the words that can come next, one a line. The scripts call it.")
      .argument("[words...]", "the words after sms; the last is the one being typed")
      .action((words, _, command) =>
        perform(command, async (_options, context) => printCandidates(words, await program(), context)),
      ),
    { hidden: true },
  );
}

/** Printed in place of candidates: the shell offers its own file names. No candidate begins with a tab. */
const fileLine = "\tfile\n";

/** The shells that can complete `sms`. A script only asks `sms completion candidates`, so new commands do not change it. */
const shells = {
  bash: ["source <(sms completion bash)", "sms completion bash > ~/.local/share/bash-completion/completions/sms"],
  zsh: [
    "source <(sms completion zsh)     # in ~/.zshrc, after compinit",
    "sms completion zsh > ~/.zfunc/_sms     # if ~/.zfunc is in fpath",
  ],
  fish: ["sms completion fish | source", "sms completion fish > ~/.config/fish/completions/sms.fish"],
};

type Option = CommandUnknownOpts["options"][number];

type Candidates = readonly (readonly [word: string, summary: string])[] | "file";

async function printCandidates(words: readonly string[], program: CommandUnknownOpts, context: Context): Promise<void> {
  const reading = read(program, words.slice(0, -1));
  const { command, option, takesOptions } = reading;
  const last = words.at(-1) ?? "";
  const [assigned = "", name = ""] = (option === undefined && takesOptions && /^(--[^=]+)=/.exec(last)) || [];
  const owner = option ?? optionWithValue(name, command);
  const before = owner === undefined ? "" : assigned;
  const prefix = option !== undefined && last === "=" ? "" : last.slice(before.length);
  const candidates = await (owner === undefined
    ? wordAfter(reading, last, context.host)
    : valueOf(owner, reading.profile, context.host));
  const lines =
    candidates === "file"
      ? [fileLine]
      : candidates.flatMap(([word, summary]) => (word.startsWith(prefix) ? `${before}${word}\t${summary}\n` : []));
  context.presenter.show(plainView(lines.join("")));
}

type Reading = ReturnType<typeof read>;

function read(program: CommandUnknownOpts, words: readonly string[]) {
  let command = program;
  let option: Option | undefined;
  let takesOptions = true;
  let profile: string | undefined;
  const operands: string[] = [];
  for (const word of words) {
    if (option !== undefined) {
      // bash splits --format=csv into three words.
      if (word === "=") continue;
      if (option.long === "--profile") profile = word;
      option = undefined;
    } else if (takesOptions && word === "--") {
      takesOptions = false;
    } else if (takesOptions && word.startsWith("-")) {
      option = optionWithValue(word, command);
      if (word.startsWith("--profile=")) profile = word.slice("--profile=".length);
    } else {
      const next = commandCalled(word, command);
      if (next === undefined) operands.push(word);
      else command = next;
    }
  }
  return { command, option, operands, takesOptions, profile };
}

async function valueOf(option: Option, profile: string | undefined, host: Host): Promise<Candidates> {
  const { flags, long = "", parseArg, description } = option;
  if (flags.endsWith("<file>")) return "file";
  const kinds: Readonly<Record<string, string>> = { "--country": "country", "--profile": "profiles", "--run": "runs" };
  const kind = kinds[long] ?? (description.includes("@name") ? "lists" : undefined);
  return kind === undefined ? (choicesOf(parseArg) ?? []) : namesOf(kind, profile, host);
}

async function wordAfter(reading: Reading, word: string, host: Host): Promise<Candidates> {
  const { command, operands, takesOptions, profile } = reading;
  const isGroup = command.commands.length > 0;
  if (isGroup && operands.length > 0) return [];
  // A command that sms runs stands after --.
  if (!takesOptions && command.usage().includes("command")) return "file";
  const takesNothingElse = !isGroup && command.registeredArguments.length === 0;
  if (takesOptions && (word.startsWith("-") || takesNothingElse)) {
    const options = command.createHelp().visibleOptions(command);
    return options.map(({ long = "", description }) => [long, description] as const);
  }
  if (isGroup) return commandsOf(command);
  if (command.name() === "help") return pagesAfter(operands, command.parent ?? command);
  const argument = command.registeredArguments[operands.length];
  const name = argument?.name() ?? "";
  if (operands[0] === "country" && name === "value") return namesOf("country", profile, host);
  if (name === "file" || (operands[0] === "only-to" && name === "value")) return "file";
  const isName = ["name", "from"].includes(name) && command.name() !== "add";
  return choicesOf(argument?.parseArg) ?? (isName ? namesOf(command.parent?.name() ?? "", profile, host) : []);
}

function choicesOf(parser: object | undefined): Candidates | undefined {
  return formOf(parser).choices?.map((word) => [word, ""] as const);
}

function commandsOf(command: CommandUnknownOpts) {
  const help = command.createHelp();
  return help
    .visibleCommands(command)
    .map((subcommand) => [subcommand.name(), help.subcommandDescription(subcommand)] as const);
}

function pagesAfter([name]: readonly string[], program: CommandUnknownOpts): Candidates {
  if (name === undefined)
    return [...commandsOf(program), ...topics.map((topic) => [topic.name, topic.summary] as const)];
  const group = commandCalled(name, program);
  return group === undefined ? [] : commandsOf(group);
}

async function namesOf(kind: string, profile: string | undefined, host: Host): Promise<Candidates> {
  switch (kind) {
    case "country":
      return countries().map(({ code, name }) => [code, name] as const);
    case "lists": {
      const folder = listsFolder(host);
      return folder === undefined ? [] : listsIn(folder).map(({ name, file }) => [`@${name}`, file] as const);
    }
    case "profiles":
      return Object.entries(loadStore(host).profiles).map(([name, { baseUrl = "" }]) => [name, baseUrl] as const);
    case "keys":
      return Object.entries(profileInUse(host, profile).keys).map(
        ([name, { secret }]) => [name, readKey(secret, "the key").mode] as const,
      );
    case "runs": {
      const runs = await (await (await openRecord(host, namedProfile(host, profile)))?.runs())?.list();
      return (runs ?? []).map((run) => [run.kind === "unreadable" ? run.name : run.run.header.name, ""] as const);
    }
    default:
      return [];
  }
}
