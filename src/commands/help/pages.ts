import { type CommandUnknownOpts, CommanderError, Option } from "@commander-js/extra-typings";
import type { Output } from "../../host.ts";
import { version } from "../../version.ts";
import { globalHeading } from "../shared/options.ts";

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
      .configureHelp({ subcommandTerm })
      .configureOutput({
        writeOut: (text) => stdout.write(text),
        writeErr: () => {},
        getOutHelpWidth: () => stdout.columns(),
      });
  }
}

/** Returns a command and all those below it. */
export function everyCommand(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

/** How a command is listed in the help of its group: its name and its arguments. */
function subcommandTerm(command: CommandUnknownOpts): string {
  const names = command.registeredArguments.map((argument) =>
    argument.required ? `<${argument.name()}>` : `[${argument.name()}]`,
  );
  return [command.name(), ...names].join(" ");
}
