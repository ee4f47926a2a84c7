import { CommanderError, type CommandUnknownOpts, Option } from "@commander-js/extra-typings";
import type { Output } from "../../host.ts";
import { version } from "../../version.ts";
import { completeOptions, globalHeading, nameOf } from "../shared/options.ts";

export function prepareHelp(program: CommandUnknownOpts, stdout: Pick<Output, "write" | "columns">): void {
  for (const command of everyCommand(program)) {
    completeOptions(command);
    command
      .addHelpOption(new Option("-h, --help", "print one screen of help, or all of it").helpGroup(globalHeading))
      .addOption(new Option("-V, --version", "print the version").helpGroup(globalHeading))
      .on("option:version", () => {
        throw new CommanderError(0, "commander.version", version);
      })
      .enablePositionalOptions()
      .exitOverride()
      .configureOutput({
        writeOut: (text) => stdout.write(text),
        writeErr: () => {},
        getOutHelpWidth: () => stdout.columns(),
      });
  }
}

export function everyCommand(command: CommandUnknownOpts): readonly CommandUnknownOpts[] {
  return [command, ...command.commands.flatMap(everyCommand)];
}

export function commandCalled(name: string, { commands }: CommandUnknownOpts): CommandUnknownOpts | undefined {
  return commands.find((command) => command.name() === name || command.aliases().includes(name));
}

export function helpLine(command: CommandUnknownOpts): string {
  return `\`${["sms", nameOf(command), "--help"].filter(Boolean).join(" ")}\``;
}

export const topics = [
  { name: "exit-codes", summary: "what each exit code says about the message" },
  { name: "environment", summary: "the environment variables that sms reads" },
  { name: "recipients", summary: "numbers, and files of recipients" },
  { name: "templates", summary: "fields in the text, and what a segment is" },
  { name: "json", summary: "what --json prints" },
] as const;
