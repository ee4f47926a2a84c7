import { Command, type CommandUnknownOpts } from "@commander-js/extra-typings";
import type { Shell } from "../../output/completion-scripts.ts";
import { plainView } from "../../output/plain.ts";
import type { Run } from "../shared/context.ts";
import { withExamples } from "../shared/examples.ts";
import { verb, withGlobalOptions } from "../shared/options.ts";

const shells: readonly Shell[] = ["bash", "zsh", "fish"];

const examples: Readonly<Record<Shell, readonly string[]>> = {
  bash: ["source <(sms completion bash)", "sms completion bash > ~/.local/share/bash-completion/completions/sms"],
  zsh: [
    "source <(sms completion zsh)     # in ~/.zshrc, after compinit",
    "sms completion zsh > ~/.zfunc/_sms     # if ~/.zfunc is in fpath",
  ],
  fish: ["sms completion fish | source", "sms completion fish > ~/.config/fish/completions/sms.fish"],
};

/** `sms completion`: a verb for each shell, and their help. `program` returns the command line with all commands. */
export function completionCommand(run: Run, program: () => Promise<CommandUnknownOpts>) {
  const completion = new Command("completion")
    .summary("print a completion script for your shell")
    .description("Print a script that makes your shell complete the commands, options, names and files of `sms`.");
  for (const shell of shells) {
    completion.addCommand(
      withGlobalOptions(verb(shell, `print the script for ${shell}`, ...examples[shell]), []).action((_, command) =>
        run(command, async (_options, { presenter }) => {
          const { completionScripts } = await import("../../output/completion-scripts.ts");
          presenter.show(plainView(completionScripts[shell]));
        }),
      ),
    );
  }
  completion.addCommand(
    withGlobalOptions(verb("candidates", "print completions", "sms completion candidates -- runs sh"), [])
      .description("Print the words that can come next, one a line. The scripts call it.")
      .argument("[words...]", "the words after sms; the last is the one being typed")
      .action((words, _, command) =>
        run(command, async (_options, context) =>
          (await import("./candidates.ts")).printCandidates(words, await program(), context),
        ),
      ),
    { hidden: true },
  );
  return withExamples(completion, Object.values(examples).flat());
}
