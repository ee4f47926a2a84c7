import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Host } from "../../host.ts";
import { createRedactor } from "../../output/redact.ts";
import { version } from "../../version.ts";
import { topics } from "./topics.ts";
import { defineProgram } from "../program.ts";

/**
 * What is printed for each command line that asks for help or for the version, by its words with dots between them: for the
 * build, so that no command need be defined. Help is as wide as this host's stdout.
 */
export function readyTexts(host: Host): Readonly<Record<string, string>> {
  const texts: Record<string, string> = { "--version": `${version}\n` };
  const program = defineProgram({ host, redactor: createRedactor() }, undefined, () => {});
  const render = (command: CommandUnknownOpts, path: readonly string[]) => {
    let page = "";
    command.configureOutput({ writeOut: (text) => (page += text) }).outputHelp();
    texts[[...path, "--help"].join(".")] = page;
    if (path.length < 2) texts[["help", ...path].join(".")] = page;
    for (const own of command.commands) render(own, [...path, own.name()]);
  };
  render(program, []);
  for (const { name, text } of topics) texts[`help.${name}`] = text();
  return texts;
}
