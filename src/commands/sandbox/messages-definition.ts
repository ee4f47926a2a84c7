import { Command } from "@commander-js/extra-typings";
import type { Run } from "../shared/context.ts";
import { withExamples } from "../shared/examples.ts";
import { limits } from "../shared/limits.ts";
import { number, single } from "../shared/option-values.ts";
import { withGlobalOptions } from "../shared/options.ts";

/** `sms sandbox messages`: its flags and its help. */
export function messagesCommand(run: Run) {
  const command = new Command("messages")
    .summary("print the messages that a sandbox accepted")
    .description("Print the messages that a sandbox accepted, oldest first.")
    .option("--url <url>", "the address of the sandbox", single("--url"))
    .option("--to <number>", "only messages to this number", single("--to"))
    .option("--sender <name>", "only messages from this sender ID", single("--sender"))
    .option("--since <when>", "only messages from this time or after this ID", single("--since"))
    .option("--wait-for <n>", "wait for n messages", number("--wait-for", "a whole number of messages", 1, 100_000))
    .option("--timeout <seconds>", "wait no longer than this (default: 10)", limits.timeout)
    .action((flags, self) =>
      run(self, async (_, context) => (await import("./messages.ts")).showMessages(flags, context)),
    );
  return withExamples(
    withGlobalOptions(command, ["json", "quiet"]),
    [
      "sms sandbox messages",
      "sms sandbox messages --to +254712345678 --wait-for 1 --timeout 5",
      "sms sandbox messages --json",
    ],
    "--url is SMS_BASE_URL if that is this machine, else port 4010. --since takes a time (ISO 8601) or a message ID. If fewer messages than --wait-for arrive in time, the exit code is 11.",
  );
}
