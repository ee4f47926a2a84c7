import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { slip } from "../../errors.ts";
import { commandCalled, topics } from "./pages.ts";
import type { Perform } from "../../terminal/context.ts";
import { explain, explanationOf, nameOf, newCommand } from "../shared/options.ts";
import { plainView, wrapped } from "../../terminal/layout.ts";

/** `sms help`. In `program` only the commands of the line are defined; `whole` defines all. */
export function programHelpCommand(
  perform: Perform,
  program: CommandUnknownOpts,
  whole: () => Promise<CommandUnknownOpts>,
) {
  return newCommand("help", {
    endsWith: "done",
    description: "Show the help of a command or a topic.",
    uses: ["json"],
    examples: ["sms help send", "sms help keys add", "sms help exit-codes", "sms help --json send"],
    notes: "--json prints commands, options, environment variables and exit codes for programs.",
  })
    .summary("show the help of a command or a topic")
    .argument("[command...]", "a command or a topic")
    .action((words, _, self) =>
      perform(self, async ({ json }, { presenter }) => {
        const topic = words.length === 1 ? topics.find(({ name }) => name === words[0]) : undefined;
        if (topic !== undefined) {
          const { topicText } = await import("./texts.ts");
          const text = topicText(topic.name);
          presenter.show({
            ...plainView(text),
            text: ({ isTerminal, columns }) => (isTerminal ? wrapped(text, columns).join("\n") : text),
            json: () => ({ ...topic, text }),
          });
          return;
        }
        const target = await commandAt(words, program);
        if (json) {
          const { reference } = await import("./reference.ts");
          const everything = await whole();
          presenter.show({ ...plainView(""), json: () => reference(everything, nameOf(target)) });
          return;
        }
        const { renderHelp } = await import("./rendering.ts");
        renderHelp(target, "topic");
        target.outputHelp();
      }),
    );
}

async function commandAt(words: readonly string[], group: CommandUnknownOpts): Promise<CommandUnknownOpts> {
  const [word, ...rest] = words;
  if (word === undefined) return group;
  const next = commandCalled(word, group);
  if (next !== undefined) return commandAt(rest, next);
  const { nearest } = await import("../../words/nearest.ts");
  const line = ["sms help", nameOf(group)].filter(Boolean).join(" ");
  const ofProgram = group.parent === null ? topics.map(({ name }) => name) : [];
  const names = [...group.commands.map((command) => command.name()), ...ofProgram];
  const near = nearest(words.join("-"), names) ?? nearest(word, names);
  const hint = near === undefined ? `\`${line}\` lists what there is` : `did you mean \`${line} ${near}\`?`;
  throw slip("UNKNOWN_COMMAND", `there is no help for ${JSON.stringify(words.join(" "))}`, hint);
}

export function explainProgram(program: CommandUnknownOpts): void {
  const lines = topics.map(({ name, summary }) => `\n  sms help ${name.padEnd(12)}  ${summary}`);
  explain(program, {
    ...explanationOf(program),
    examples: [
      'sms send --sandbox --to +254712345678 --message "Just testing"',
      "sms login",
      'sms send --to +254712345678 --message "Deploy finished"',
    ],
    notes: `Topics:${lines.join("")}`,
  });
}
