import { CommanderError, type CommandUnknownOpts, type Help, Option } from "@commander-js/extra-typings";
import type { Output } from "../../host.ts";
import { version } from "../../version.ts";
import { explanationOf, globalHeading } from "../shared/options.ts";

/** The pages of `sms help` that are not about one command. */
export const topics = [
  { name: "exit-codes", summary: "what each exit code says about the message" },
  { name: "environment", summary: "the environment variables that sms reads" },
  { name: "recipients", summary: "numbers, and files of recipients" },
  { name: "templates", summary: "fields in the text, and what a segment is" },
  { name: "json", summary: "what --json prints" },
] as const;

/** Gives every command `--help`, which prints its page on stdout, and `--version`; each throws a CommanderError of exit code 0. */
export function prepareHelp(program: CommandUnknownOpts, stdout: Pick<Output, "write" | "columns">): void {
  for (const command of everyCommand(program)) {
    command
      .addHelpOption(new Option("-h, --help", "print this help").helpGroup(globalHeading))
      .addOption(new Option("-V, --version", "print the version").helpGroup(globalHeading))
      .on("option:version", () => {
        throw new CommanderError(0, "commander.version", version);
      })
      .enablePositionalOptions()
      .exitOverride()
      .configureHelp({ subcommandTerm, formatHelp })
      .configureOutput({
        writeOut: (text) => stdout.write(text),
        writeErr: () => {},
        getOutHelpWidth: () => stdout.columns(),
      });
    if (isGroup(command)) command.usage("<command> [options]");
  }
}

export function everyCommand(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

export function commandCalled(name: string, { commands }: CommandUnknownOpts): CommandUnknownOpts | undefined {
  return commands.find((own) => own.name() === name || own.aliases().includes(name));
}

/** Whether a command does nothing without one of its own commands. */
function isGroup({ commands }: CommandUnknownOpts): boolean {
  return commands.some((own) => own.name() === "help");
}

function subcommandTerm(command: CommandUnknownOpts): string {
  const operands = command.registeredArguments.map((argument) => {
    const name = argument.variadic ? `${argument.name()}...` : argument.name();
    return argument.required ? `<${name}>` : `[${name}]`;
  });
  return [[command.name(), ...command.aliases()].join(", "), ...operands].join(" ");
}

/** The page of a command: what it is for, then examples, then all that it takes, the global options last. */
function formatHelp(command: CommandUnknownOpts, help: Help): string {
  const { examples, notes } = explanationOf(command);
  const columns = help.helpWidth ?? 80;
  const termWidth = help.padWidth(command, help);
  const items = (terms: readonly (readonly [term: string, description: string])[]) =>
    terms.map(([term, description]) => help.formatItem(term, termWidth, description, help));
  const section = (heading: string, lines: readonly string[]) => (lines.length === 0 ? [] : [heading, ...lines]);
  const options = help.visibleOptions(command);
  const headings = new Set(options.map(({ helpGroupHeading }) => helpGroupHeading));
  return `${[
    [`Usage: ${help.commandUsage(command)}`],
    [help.boxWrap(help.commandDescription(command), columns)],
    section(
      "Examples:",
      examples.map((example) => `  $ ${example}`),
    ),
    section(
      "Arguments:",
      items(help.visibleArguments(command).map((own) => [help.argumentTerm(own), help.argumentDescription(own)])),
    ),
    section(
      "Commands:",
      items(help.visibleCommands(command).map((own) => [subcommandTerm(own), help.subcommandDescription(own)])),
    ),
    notes === "" ? [] : [help.boxWrap(notes, columns)],
    ...[...headings].map((heading) =>
      section(
        heading ?? "Options:",
        items(
          options
            .filter(({ helpGroupHeading }) => helpGroupHeading === heading)
            .map((own) => [help.optionTerm(own), help.optionDescription(own)]),
        ),
      ),
    ),
  ]
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`;
}
