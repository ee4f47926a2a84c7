import { Command } from "@commander-js/extra-typings";
import { agoText } from "../../terminal/text.ts";
import { listingText } from "../../terminal/layout.ts";
import type { View } from "../../terminal/presenter.ts";
import { visible } from "../../terminal/redact.ts";
import type { SandboxMessage } from "../../sandbox/reply.ts";
import { awaitMessages } from "../../sending/sandbox-client.ts";
import type { Runner } from "../../terminal/context.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { lacking, limits, number, single } from "../shared/option-values.ts";

export function messagesCommand(run: Runner) {
  const command = new Command("messages")
    .summary("print the messages that a sandbox accepted")
    .description("Print the messages that a sandbox accepted, oldest first.")
    .option("--url <url>", "the address of the sandbox", single("--url"))
    .option("--to <number>", "only messages to this number", single("--to"))
    .option("--wait-for <n>", "wait for n messages", number("--wait-for", "a whole number of messages", 1, 100_000))
    .option("--timeout <seconds>", "wait no longer than this (default: 10)", limits.timeout)
    .action((flags, self) =>
      run(self, async (_, context) => {
        if (flags.timeout !== undefined && flags.waitFor === undefined) throw lacking("--timeout", "--wait-for");
        const messages = await awaitMessages(flags, context);
        context.presenter.show(messagesView(messages, context.host.now()));
        if (messages.length === 0) context.presenter.note("No messages.");
      }),
    );
  return withExamples(
    withGlobalOptions(command, ["json", "quiet"]),
    [
      "sms sandbox messages",
      "sms sandbox messages --to +254712345678 --wait-for 1 --timeout 5",
      "sms sandbox messages --json",
    ],
    "Without --url it asks SMS_BASE_URL if that is on this machine, else port 4010. If fewer messages than --wait-for arrive in time, the exit code is 11.",
  );
}

type Listed = Pick<SandboxMessage, "messageId" | "at" | "to" | "senderId" | "mode" | "segments" | "message">;

export function messagesView(messages: readonly Listed[], now: number): View {
  const rows = messages.map(({ at, to, senderId, mode, segments, message }) =>
    [agoText(Date.parse(at), now), to, senderId, mode, String(segments), message].map(visible),
  );
  return {
    json: () => messages,
    quiet: () => messages.map(({ messageId }) => visible(messageId)),
    text: (page) =>
      messages.length === 0 ? "" : listingText(page, [["TIME", "TO", "FROM", "MODE", "SEGMENTS", "TEXT"], ...rows]),
  };
}
