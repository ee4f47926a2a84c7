import { Command } from "@commander-js/extra-typings";
import { type Address, readAddress } from "../../service/address.ts";
import { variable } from "../../profiles/variable.ts";
import { SmsError, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { countText, plural } from "../../words/count.ts";
import { agoText } from "../../terminal/text.ts";
import { listingText } from "../../terminal/layout.ts";
import type { View } from "../../terminal/presenter.ts";
import { visible } from "../../terminal/redact.ts";
import type { SandboxMessage } from "../../sandbox/accepted.ts";
import { readMessages, tokenVariable } from "../../sending/sandbox-client.ts";
import type { Context, Runner } from "../../terminal/context.ts";
import { withExamples, withGlobalOptions } from "../shared/options.ts";
import { lacking, limits, number, single } from "../shared/option-values.ts";

export function messagesCommand(run: Runner) {
  const command = messagesOptions().action((flags, self) =>
    run(self, async (_, context) => showMessages(flags, context)),
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

function messagesOptions() {
  return new Command("messages")
    .summary("print the messages that a sandbox accepted")
    .description("Print the messages that a sandbox accepted, oldest first.")
    .option("--url <url>", "the address of the sandbox", single("--url"))
    .option("--to <number>", "only messages to this number", single("--to"))
    .option("--wait-for <n>", "wait for n messages", number("--wait-for", "a whole number of messages", 1, 100_000))
    .option("--timeout <seconds>", "wait no longer than this (default: 10)", limits.timeout);
}

type MessagesFlags = Readonly<ReturnType<ReturnType<typeof messagesOptions>["opts"]>>;

const pollEveryMs = 100;

async function showMessages({ url, to, waitFor, timeout }: MessagesFlags, context: Context): Promise<void> {
  const { host, presenter } = context;
  if (timeout !== undefined && waitFor === undefined) throw lacking("--timeout", "--wait-for");
  const address = sandboxAddress(url, host.environment);
  const token = host.environment[tokenVariable] || undefined;
  const read = () => readMessages(address, to, token);
  const messages = waitFor === undefined ? await read() : await waitForMessages(read, waitFor, timeout ?? 10, context);
  presenter.show(messagesView(messages, host.now()));
  if (messages.length === 0) presenter.note("No messages.");
}

/** Throws a usage error if `--url` is not on this machine. */
export function sandboxAddress(url: string | undefined, environment: Host["environment"]): Address {
  if (url !== undefined) {
    const address = readAddress(url, "--url");
    if (address.isLoopback && address.origin.startsWith("http:")) return address;
    throw usageError("INVALID_BASE_URL", "--url is not a sandbox: it is not http on this machine");
  }
  const baseUrl = variable(environment, "SMS_BASE_URL");
  const address = baseUrl === undefined ? undefined : readAddress(baseUrl, "SMS_BASE_URL");
  return address?.isLoopback ? address : readAddress("http://127.0.0.1:4010", "the default");
}

/** Throws `NOT_ENOUGH_MESSAGES` if fewer than `least` messages came within `timeoutSeconds`. */
async function waitForMessages(
  read: () => Promise<readonly SandboxMessage[]>,
  least: number,
  timeoutSeconds: number,
  { host: { now, sleep }, presenter }: Context,
): Promise<readonly SandboxMessage[]> {
  const end = now() + timeoutSeconds * 1000;
  let messages: readonly SandboxMessage[] = [];
  const wait = () => {
    const seconds = Math.max(0, Math.ceil((end - now()) / 1000));
    return `Waiting for messages: ${countText(messages.length)} of ${countText(least)}, ${seconds} s left`;
  };
  return presenter.waitFor(wait, async () => {
    for (;;) {
      const isLast = now() >= end;
      messages = await read().catch((error: unknown) => {
        // The sandbox may be about to start.
        if (!isLast && error instanceof SmsError && error.kind === "unreachable") return [];
        throw error;
      });
      if (messages.length >= least) return messages;
      if (isLast) throw notEnough(messages.length, least, timeoutSeconds);
      await sleep(Math.min(pollEveryMs, end - now()));
    }
  });
}

function notEnough(came: number, least: number, timeout: number): SmsError {
  const within = timeout === 1 ? "1 second" : `${timeout} seconds`;
  return new SmsError("incomplete", `${came} of ${plural(least, "message")} came within ${within}`, {
    errorCode: "NOT_ENOUGH_MESSAGES",
    hint: "`sms sandbox messages` lists what came",
  });
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
