import { shellWord } from "../../words/shell-word.ts";
import type { Context } from "../../terminal/context.ts";
import type { SendOptions } from "../options.ts";

/** Each of these options narrows the others, so one more takes the place of none. */
const repeatable = ["--exclude"];

/** Nobody can type again what was piped. */
export function retypedCommand(
  options: Pick<SendOptions, "recipients" | "message" | "messageFile">,
  { argv, host, presenter }: Context,
  changes: Readonly<Record<`--${string}`, string>>,
): string {
  const { recipients, message, messageFile } = options;
  const isTextPiped = (message ?? messageFile) === undefined && !host.stdin.isTerminal();
  const additions = Object.entries(changes).map(([option, value]) => `${option} ${shellWord(value)}`);
  const isWhole = !isTextPiped && ![recipients, message, messageFile].includes("-");
  const replacements = Object.keys(changes).filter((option) => !repeatable.includes(option));
  const rest = argv.filter((word, index) => {
    const isOption = (argument = "") => replacements.some((option) => argument.split("=")[0] === option);
    return !isOption(word) && (!isOption(argv[index - 1]) || argv[index - 1]?.includes("="));
  });
  const command = ["sms", ...rest.map(shellWord), ...additions].join(" ");
  const canBeCopied = isWhole && presenter.showsExactly(command);
  return canBeCopied ? `\`${command}\`` : `the same command with \`${additions.join(" ")}\``;
}
