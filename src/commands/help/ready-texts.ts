import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Output } from "../../host.ts";
import { version } from "../../version.ts";
import { jsonLine } from "../../terminal/redact.ts";
import { defineProgram } from "../program.ts";
import { topicText } from "./texts.ts";
import { topics } from "./topics.ts";
import { reference } from "./reference.ts";
import { renderHelp } from "./rendering.ts";

/**
 * Returns the help and version texts by the words that ask for them, joined by dots. The build renders them. Where `-h` and
 * `help` print the same as `--help`, only that is here.
 */
export async function readyTexts({
  stdout,
}: {
  readonly stdout: Pick<Output, "columns">;
}): Promise<Readonly<Record<string, string>>> {
  const texts: Record<string, string> = { "--version": `${version}\n` };
  const program = await defineProgram({ ...stdout, write: () => {} }, async () => {});
  const render = (flag: string, command: CommandUnknownOpts, path: readonly string[]) => {
    let page = "";
    command.configureOutput({ writeOut: (text) => (page += text) }).outputHelp();
    const isWhole = page === texts[[...path, "--help"].join(".")];
    if (!isWhole) texts[[...path, flag].join(".")] = page;
    for (const own of command.commands) render(flag, own, [...path, own.name()]);
  };
  renderHelp(program, "whole");
  render("--help", program, []);
  renderHelp(program, "screen");
  render("-h", program, []);
  renderHelp(program, "topic");
  for (const command of program.commands.filter((own) => ["send", "runs"].includes(own.name())))
    texts[`help.${command.name()}`] = command.helpInformation();
  for (const { name } of topics) texts[`help.${name}`] = topicText(name);
  texts["help.--json"] = jsonLine(reference(program, ""));
  return texts;
}
