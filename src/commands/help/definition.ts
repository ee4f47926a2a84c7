import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import { usageError } from "../../errors.ts";
import { plainView } from "../../output/plain.ts";
import type { Run } from "../shared/context.ts";
import { nameOf, withGlobalOptions } from "../shared/options.ts";
import type { Topic } from "../../output/help-topics.ts";

/** `help` within the program or a group of commands: it prints the help of one of them, or one of the topics. */
export function helpCommand(run: Run, group: CommandUnknownOpts, topics: readonly Topic[] = []) {
  const names = [...group.commands.slice(0, 1), ...topics.slice(0, 1)].map((known) =>
    typeof known.name === "string" ? known.name : known.name(),
  );
  const line = ["sms", nameOf(group), "help"].filter(Boolean).join(" ");
  const operand = topics.length === 0 ? "a command" : "a command or a topic";
  return withGlobalOptions(new Command("help"), [])
    .summary(`show the help of ${operand}`)
    .description(`Show the help of ${operand}.`)
    .argument("[command]", operand)
    .addHelpText("after", `\nExamples:${names.map((name) => `\n  $ ${line} ${name}`).join("")}`)
    .action((name, _, command) =>
      run(command, async (_options, { presenter }) => {
        const topic = topics.find((known) => known.name === name);
        const wanted = name === undefined ? group : group.commands.find((known) => known.name() === name);
        if (topic !== undefined) presenter.show(plainView(topic.text()));
        else if (wanted !== undefined) wanted.outputHelp();
        else
          throw usageError(
            "UNKNOWN_COMMAND",
            `there is no help for ${JSON.stringify(name)}`,
            `\`${line}\` lists what there is`,
          );
      }),
    );
}
