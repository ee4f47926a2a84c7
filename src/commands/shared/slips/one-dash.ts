import type { CommandUnknownOpts } from "@commander-js/extra-typings";
import { type SmsError, usageError } from "../../../errors.ts";

/**
 * Returns the usage error for an option with one dash, such as `-to`, which commander reads as `-t o`, or `-m=hi`, which it
 * reads as the text "=hi"; undefined if there is none.
 */
export function oneDashSlip(words: readonly string[], command: CommandUnknownOpts): SmsError | undefined {
  // Words after the name of a command that sms runs are that command's.
  const takesCommand = command.registeredArguments.some(({ variadic }) => variadic);
  for (const word of words) {
    if (takesCommand && command.args.includes(word)) continue;
    const [name = ""] = word.split("=");
    if (command.options.some(({ long }) => long === `-${name}`))
      return usageError("USAGE", `unknown option '${name}'`, `did you mean -${name}?`);
    const option = command.options.find(({ required, short }) => required && short === name.slice(0, 2));
    if (/^-[\w-]+=/.test(word) && option !== undefined)
      return usageError(
        "USAGE",
        `unknown option '${name}='`,
        `did you mean ${option.long}=VALUE, or ${option.short} VALUE?`,
      );
  }
  return undefined;
}
