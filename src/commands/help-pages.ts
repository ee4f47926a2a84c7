import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Host } from "../host.ts";
import { pageName } from "../page-name.ts";
import { createRedactor } from "../output/redact.ts";
import { topics } from "./help.ts";
import { defineProgram } from "./program.ts";

/**
 * Every page of help, by its name: for the build, so that `--help` need not define the
 * commands. The pages are as wide as this host's stdout.
 */
export function helpPages(host: Host): Readonly<Record<string, string>> {
  const pages: Record<string, string> = {};
  const program = defineProgram({ host, redactor: createRedactor() }, undefined, () => {});
  const render = (command: CommandUnknownOpts, path: readonly string[]) => {
    let page = "";
    command.configureOutput({ writeOut: (text) => (page += text) }).outputHelp();
    pages[pageName([...path, "--help"])] = page;
    if (path.length < 2) pages[pageName(["help", ...path])] = page;
    for (const own of command.commands) render(own, [...path, own.name()]);
  };
  render(program, []);
  for (const { name, text } of topics) pages[pageName(["help", name])] = text();
  return pages;
}
