import type { CommandUnknownOpts, Help, Option } from "@commander-js/extra-typings";
import { explanationOf, nameOf, runsHeading } from "../shared/options.ts";
import { commandCalled, everyCommand, helpLine } from "./pages.ts";

/** Makes the help of every command one screen, as for `-h`; whole, as for `--help`; or a topic, as for `sms help`. */
export function renderHelp(program: CommandUnknownOpts, extent: "screen" | "whole" | "topic"): void {
  const formatHelp = { screen: screenPage, whole: wholePage, topic: topicPage }[extent];
  for (const command of everyCommand(program)) command.configureHelp({ subcommandTerm, minWidthToWrap, formatHelp });
}

const minWidthToWrap = 16;

/** What `-h` prints at most. A terminal has 24 rows, and the last one is for the prompt after it. */
const screen = { rows: 23, examples: 3 } as const;

/** The headings of what people use every day. `-h` leaves out all other options and commands. */
const everyday: ReadonlySet<string> = new Set(["Commands:", "Options:"]);

/** What a command is for, then examples, then all that it takes, the global options last. */
function wholePage(command: CommandUnknownOpts, help: Help): string {
  return pageOf(command, help, optionGroups(command, help));
}

/** The whole page, but what only runs have stands with the runs and not with `send`, where most send one message. */
function topicPage(command: CommandUnknownOpts, help: Help): string {
  const groups = optionGroups(command, help);
  const isOfRuns = ({ heading }: Group) => heading === runsHeading;
  const others = groups.filter((group) => !isOfRuns(group));
  if (others.length < groups.length) {
    const rest = `Options of runs alone: \`sms help runs\`. All at once: ${helpLine(command)}.`;
    return `${pageOf(command, help, others)}\n${pageText([filled(rest, help)])}`;
  }
  const send = nameOf(command) === "runs" && command.parent ? commandCalled("send", command.parent) : undefined;
  const ofRuns = send === undefined ? [] : optionGroups(send, help).filter(isOfRuns);
  const named = ofRuns.map((group) => ({
    ...group,
    lines: ["Options of `sms send` for runs:", ...group.lines.slice(1)],
  }));
  return pageOf(command, help, [...named, ...groups]);
}

function pageOf(command: CommandUnknownOpts, help: Help, groups: readonly Group[]): string {
  const { examples, notes } = explanationOf(command);
  const commands = commandGroups(command, help).map((group) => group.lines);
  const options = groups.map((group) => group.lines);
  return pageText([...opening(command, help, examples), ...commands, filled(notes, help), ...options]);
}

function screenPage(command: CommandUnknownOpts, help: Help): string {
  const whole = wholePage(command, help);
  if (whole.split("\n").length - 1 <= screen.rows) return whole;
  const { examples, notes } = explanationOf(command);
  const groups = [...commandGroups(command, help), ...optionGroups(command, help)];
  const isEveryday = ({ heading }: Group) => everyday.has(heading);
  const [, heading = "notes"] = /^(\w+):\n/.exec(notes) ?? [];
  const left = [
    ...groups.filter((group) => !isEveryday(group)).flatMap(({ names }) => names),
    ...(examples.length > screen.examples ? ["examples"] : []),
    ...(notes === "" ? [] : [heading.toLowerCase()]),
  ];
  return pageText([
    ...opening(command, help, examples.slice(0, screen.examples)),
    ...groups.filter(isEveryday).map(({ lines }) => lines),
    filled(`More in ${helpLine(command)}: ${left.join(", ")}.`, help),
  ]);
}

function opening(command: CommandUnknownOpts, help: Help, examples: readonly string[]): readonly (readonly string[])[] {
  const taken = help.visibleArguments(command);
  return [
    [`Usage: ${help.commandUsage(command)}`],
    filled(help.commandDescription(command), help),
    examples.length === 0 ? [] : ["Examples:", ...examples.map((example) => `  $ ${example}`)],
    listed(
      "Arguments:",
      taken.map((own) => [help.argumentTerm(own), help.argumentDescription(own)]),
      { command, help },
    ),
  ];
}

interface Group {
  readonly heading: string;
  readonly lines: readonly string[];
  readonly names: readonly string[];
}

function commandGroups(command: CommandUnknownOpts, help: Help): readonly Group[] {
  const headingOf = (own: CommandUnknownOpts) => own.helpGroup() || "Commands:";
  return grouped(help.visibleCommands(command), headingOf).map(([heading, commands]) => ({
    heading,
    lines: listed(
      heading,
      commands.map((own) => [subcommandTerm(own), help.subcommandDescription(own)]),
      { command, help },
    ),
    names: commands.map((own) => own.name()),
  }));
}

function optionGroups(command: CommandUnknownOpts, help: Help): readonly Group[] {
  const headingOf = (own: Option) => own.helpGroupHeading ?? "Options:";
  return grouped(help.visibleOptions(command), headingOf).map(([heading, options]) => ({
    heading,
    lines: listed(
      heading,
      options.map((own) => [help.optionTerm(own), help.optionDescription(own)]),
      { command, help },
    ),
    names: [heading.replace(/:$/, "").toLowerCase()],
  }));
}

function grouped<Item>(
  items: readonly Item[],
  headingOf: (item: Item) => string,
): readonly (readonly [heading: string, items: readonly Item[]])[] {
  return [...new Set(items.map(headingOf))].map((heading) => [
    heading,
    items.filter((item) => headingOf(item) === heading),
  ]);
}

function listed(
  heading: string,
  items: readonly (readonly [term: string, description: string])[],
  { command, help }: { readonly command: CommandUnknownOpts; readonly help: Help },
): readonly string[] {
  if (items.length === 0) return [];
  const width = help.padWidth(command, help);
  return [heading, ...items.map(([term, description]) => help.formatItem(term, width, description, help))];
}

function filled(text: string, help: Help): readonly string[] {
  return text === "" ? [] : [help.boxWrap(text, help.helpWidth ?? 80)];
}

function pageText(parts: readonly (readonly string[])[]): string {
  const shown = parts.filter((lines) => lines.length > 0);
  return `${shown.map((lines) => lines.join("\n")).join("\n\n")}\n`;
}

function subcommandTerm(command: CommandUnknownOpts): string {
  if (command.parent?.parent === null) return command.name();
  const operands = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [[command.name(), ...command.aliases()].join(", "), ...operands].join(" ");
}
