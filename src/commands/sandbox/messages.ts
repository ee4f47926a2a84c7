import type { Address } from "../../core/address.ts";
import { SmsError, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { jsonLine, visible } from "../../output/sanitize.ts";
import { tableText } from "../../output/table.ts";
import { plural } from "../../output/text.ts";
import type { SandboxMessage } from "../../sandbox/account.ts";
import type { Context } from "../shared/context.ts";
import { type GlobalOptions, refuseGlobals } from "../shared/options.ts";
import { type MessageQuery, readMessages, sandboxAddress } from "./client.ts";
import type { MessagesFlags } from "./messages-definition.ts";

/** How often a sandbox is asked whether enough has come. Milliseconds. */
const askEvery = 100;

/** Prints what a sandbox took, once as much of it is there as is waited for. */
export async function runSandboxMessages(
  { url, to, sender, since, waitFor, timeout }: MessagesFlags,
  options: GlobalOptions,
  { host }: Context,
): Promise<void> {
  refuseGlobals(options, "sms sandbox messages", { profile: "leave it out", verbose: "leave it out" });
  if (timeout !== undefined && waitFor === undefined) {
    throw usageError("INVALID_OPTION", "--timeout means nothing without --wait-for", "leave it out");
  }
  const address = sandboxAddress(url, host.environment);
  const query = {
    ...(to !== undefined && { to }),
    ...(sender !== undefined && { sender }),
    ...(since !== undefined && { since }),
  };
  const messages =
    waitFor === undefined
      ? await readMessages(address, query)
      : await waitForMessages(address, query, waitFor, timeout ?? 10, host);
  if (options.json) host.stdout.write(jsonLine(messages));
  else if (options.quiet)
    host.stdout.write(messages.map(({ messageId }) => `${visible(messageId)}\n`).join(""));
  else if (messages.length === 0) host.stderr.write("No messages.\n");
  else host.stdout.write(messagesText(messages));
}

async function waitForMessages(
  address: Address,
  query: MessageQuery,
  least: number,
  timeout: number,
  { now, sleep }: Host,
): Promise<readonly SandboxMessage[]> {
  const end = now() + timeout * 1000;
  for (;;) {
    const late = now() >= end;
    const messages = await readMessages(address, query).catch((error: unknown) => {
      // One that is about to be started does not answer yet.
      if (!late && error instanceof SmsError && error.kind === "unreachable") return [];
      throw error;
    });
    if (messages.length >= least) return messages;
    if (late) throw notEnough(messages.length, least, timeout);
    await sleep(Math.min(askEvery, end - now()));
  }
}

function notEnough(came: number, least: number, timeout: number): SmsError {
  const within = timeout === 1 ? "1 second" : `${timeout} seconds`;
  return new SmsError("incomplete", `${came} of ${plural(least, "message")} came within ${within}`, {
    errorCode: "NOT_ENOUGH_MESSAGES",
    hint: "`sms sandbox messages` prints what came; `sms sandbox --log` what was asked",
  });
}

function messagesText(messages: readonly SandboxMessage[]): string {
  const rows = messages.map(({ at, to, senderId, mode, segments, message }) =>
    [at, to, senderId, mode, String(segments), message].map((cell) => visible(cell)),
  );
  return tableText([["TIME", "TO", "FROM", "MODE", "SEGMENTS", "TEXT"], ...rows]);
}
