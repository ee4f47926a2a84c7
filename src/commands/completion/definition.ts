import { Command } from "@commander-js/extra-typings";
import { type Shell, shells } from "../../output/completion-scripts.ts";
import { type GlobalFlags, withGlobalOptions } from "../shared/options.ts";

/** One of the verbs of `sms completion`. */
export type CompletionVerb =
  | { readonly kind: "script"; readonly shell: Shell }
  /** Asked by the scripts: the words of a command line after `sms`, the last being the one that is typed. */
  | { readonly kind: "candidates"; readonly words: readonly string[] };

type Run = (verb: CompletionVerb, flags: GlobalFlags) => Promise<void>;

const examples: Readonly<Record<Shell, string>> = {
  bash: `
  $ source <(sms completion bash)
  $ sms completion bash > ~/.local/share/bash-completion/completions/sms`,
  zsh: `
  $ source <(sms completion zsh)     # in ~/.zshrc, after compinit
  $ sms completion zsh > ~/.zfunc/_sms     # where fpath has ~/.zfunc`,
  fish: `
  $ sms completion fish | source
  $ sms completion fish > ~/.config/fish/completions/sms.fish`,
};

/** `sms completion`: a verb for each shell, and their help. */
export function completionCommand(run: Run) {
  const completion = new Command("completion")
    .summary("a script that completes commands, options and names in your shell")
    .description(
      "Prints a script that teaches your shell to complete `sms`: commands, options, names and files.",
    )
    .addHelpText("after", `\nExamples:${Object.values(examples).join("")}`);
  for (const shell of shells) {
    completion.addCommand(
      withGlobalOptions(new Command(shell).summary(`the script for ${shell}`))
        .description(`Prints the script for ${shell}.`)
        .addHelpText("after", `\nExamples:${examples[shell]}`)
        .action((flags) => run({ kind: "script", shell }, flags)),
    );
  }
  completion.addCommand(
    withGlobalOptions(new Command("candidates").description("What the scripts ask for: a candidate a line."))
      .argument("[words...]")
      .action((words, flags) => run({ kind: "candidates", words }, flags)),
    { hidden: true },
  );
  return completion;
}
