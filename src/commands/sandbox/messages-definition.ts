import { Command } from "@commander-js/extra-typings";
import { limits } from "../shared/limits.ts";
import { type GlobalFlags, number, single, withGlobalOptions } from "../shared/options.ts";

/** The flags of `sms sandbox messages`. */
export interface MessagesFlags {
  readonly url?: string;
  readonly to?: string;
  readonly sender?: string;
  readonly since?: string;
  readonly waitFor?: number;
  /** Seconds. */
  readonly timeout?: number;
}

/** `sms sandbox messages`: its flags and its help. */
export function messagesCommand(run: (flags: MessagesFlags, after: GlobalFlags) => Promise<void>) {
  return withGlobalOptions(new Command("messages"))
    .summary("what a sandbox took")
    .description("Prints the messages that a sandbox took, oldest first.")
    .option(
      "--url <url>",
      "where it listens (default: SMS_BASE_URL where that is this machine, else port 4010)",
      single("--url"),
    )
    .option("--to <number>", "those to this number", single("--to"))
    .option("--sender <name>", "those from this sender ID", single("--sender"))
    .option(
      "--since <when>",
      "those from this time on (ISO 8601), or after this message id",
      single("--since"),
    )
    .option("--wait-for <n>", "wait for so many", number("--wait-for", "messages", 1, 100_000, true))
    .option("--timeout <seconds>", "how long to wait for them (default: 10)", limits.timeout)
    .addHelpText(
      "after",
      `
With --wait-for, fewer than so many messages by the timeout are exit code 11.

Examples:
  $ sms sandbox messages
  $ sms sandbox messages --to +254712345678 --wait-for 1 --timeout 5
  $ sms sandbox messages --json`,
    )
    .action((flags) => run(flags, flags));
}
