import type { CommandUnknownOpts, Help } from "@commander-js/extra-typings";
import { describedOption, runsHeading } from "../../sending/option-texts.ts";
import { optionTable } from "../../sending/options.ts";
import { explanationOf, nameOf } from "../shared/options.ts";
import { commandCalled, everyCommand, helpLine } from "./pages.ts";

/** Makes the help of every command one screen, as for `-h`; whole, as for `--help`; or a topic, as for `sms help`. */
export function renderHelp(program: CommandUnknownOpts, extent: "screen" | "whole" | "topic"): void {
  const formatHelp = { screen: screenPage, whole: wholePage, topic: topicPage }[extent];
  for (const command of everyCommand(program))
    command.configureHelp({ subcommandTerm, minWidthToWrap: 16, formatHelp });
}

/** `-h` prints no more than this: a terminal has 24 rows, and the prompt needs the last one. */
const screen = { rows: 23, examples: 3 } as const;

/** A list under a heading, and how `-h` names it if `-h` leaves it out. */
interface HelpList {
  readonly heading: string;
  readonly lines: readonly string[];
  readonly names: readonly string[];
}

function wholePage(command: CommandUnknownOpts, help: Help): string {
  return pageWith(optionLists(command, help), command, help);
}

/** The whole page, but the options that only runs have stand with the runs: most people send one message. */
function topicPage(command: CommandUnknownOpts, help: Help): string {
  const lists = optionLists(command, help);
  const others = lists.filter(({ heading }) => heading !== runsHeading);
  if (others.length < lists.length) {
    const rest = `Options that only runs have: \`sms help runs\`. All at once: ${helpLine(command)}.`;
    return pageWith([...others, { lines: filled(rest, help) }], command, help);
  }
  const send = nameOf(command) === "runs" && command.parent ? commandCalled("send", command.parent) : undefined;
  const ofRuns = send && optionLists(send, help).find(({ heading }) => heading === runsHeading);
  const renamed = ofRuns ? [{ lines: ["Options of `sms send` for runs:", ...ofRuns.lines.slice(1)] }] : [];
  return pageWith([...renamed, ...lists], command, help);
}

function screenPage(command: CommandUnknownOpts, help: Help): string {
  const whole = wholePage(command, help);
  if (whole.split("\n").length - 1 <= screen.rows) return whole;
  const { examples, notes = "" } = explanationOf(command);
  const lists = [...commandLists(command, help), ...optionLists(command, help)];
  const isEveryday = ({ heading }: HelpList) => heading === "Commands:" || heading === "Options:";
  const [, heading = "notes"] = /^(\w+):\n/.exec(notes) ?? [];
  const omitted = [
    ...lists.filter((list) => !isEveryday(list)).flatMap(({ names }) => names),
    ...(examples.length > screen.examples ? ["examples"] : []),
    ...(notes === "" ? [] : [heading.toLowerCase()]),
  ];
  return [
    ...opening(command, help, examples.slice(0, screen.examples)),
    ...lists.filter(isEveryday).flatMap(({ lines }) => lines),
    ...filled(`More in ${helpLine(command)}: ${omitted.join(", ")}.`, help),
  ].join("\n");
}

function pageWith(options: readonly Pick<HelpList, "lines">[], command: CommandUnknownOpts, help: Help): string {
  const { examples, notes = "" } = explanationOf(command);
  const commands = commandLists(command, help).flatMap(({ lines }) => lines);
  const start = [...opening(command, help, examples), ...commands, ...filled(notes, help)];
  return [...start, ...options.flatMap(({ lines }) => lines)].join("\n");
}

function opening(command: CommandUnknownOpts, help: Help, examples: readonly string[]): readonly string[] {
  const lines = examples.map((example) => `  $ ${example}`);
  const operands = help.visibleArguments(command).map((item) => ({
    heading: "Arguments:",
    term: help.argumentTerm(item),
    description: help.argumentDescription(item),
  }));
  return [
    `Usage: ${help.commandUsage(command)}\n`,
    ...filled(help.commandDescription(command), help),
    ...help.formatItemList("Examples:", lines, help),
    ...listsOf(operands, command, help).flatMap((list) => list.lines),
  ];
}

function commandLists(command: CommandUnknownOpts, help: Help): readonly HelpList[] {
  const items = help.visibleCommands(command).map((item) => ({
    heading: item.helpGroup() || "Commands:",
    term: subcommandTerm(item),
    description: help.subcommandDescription(item),
    name: item.name(),
  }));
  return listsOf(items, command, help);
}

function optionLists(command: CommandUnknownOpts, help: Help): readonly HelpList[] {
  describeOptions(command);
  const items = help.visibleOptions(command).map((item) => ({
    heading: item.helpGroupHeading ?? "Options:",
    term: help.optionTerm(item),
    description: help.optionDescription(item),
  }));
  return listsOf(items, command, help);
}

/** Gives the options of the table their texts and headings. Options that a command declares itself have both. */
export function describeOptions(command: CommandUnknownOpts): void {
  const names: readonly string[] = nameOf(command) === "send" ? ["message", "run"] : [nameOf(command)];
  for (const option of command.options) {
    const name = option.attributeName();
    const way = optionTable[name]?.readers.find((each) => names.includes(each));
    if (way === undefined) continue;
    const { text = "", heading } = describedOption(name, way);
    option.description = text;
    if (heading !== undefined) option.helpGroup(heading);
  }
}

interface Item extends Readonly<Record<"heading" | "term" | "description", string>> {
  /** The heading is the name of a list whose items have none. */
  readonly name?: string;
}

function listsOf(items: readonly Item[], command: CommandUnknownOpts, help: Help): readonly HelpList[] {
  const width = help.padWidth(command, help);
  return Array.from(new Set(items.map(({ heading }) => heading)), (heading) => {
    const members = items.filter((item) => item.heading === heading);
    const lines = members.map(({ term, description }) => help.formatItem(term, width, description, help));
    const names = new Set(members.map(({ name }) => name ?? heading.replace(/:$/, "").toLowerCase()));
    return { heading, lines: help.formatItemList(heading, lines, help), names: [...names] };
  });
}

function filled(text: string, help: Help): readonly string[] {
  return text === "" ? [] : [help.boxWrap(text, help.helpWidth ?? 80), ""];
}

function subcommandTerm(command: CommandUnknownOpts): string {
  if (command.parent?.parent === null) return command.name();
  const operands = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [[command.name(), ...command.aliases()].join(", "), ...operands].join(" ");
}
