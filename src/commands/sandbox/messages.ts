import { messagesView } from "../../output/messages.ts";
import type { Context } from "../shared/context.ts";
import { lacking } from "../shared/option-values.ts";
import { readMessages, sandboxAddress, waitForMessages } from "./client.ts";

interface MessagesFlags {
  readonly url?: string;
  readonly to?: string;
  readonly sender?: string;
  readonly since?: string;
  readonly waitFor?: number;
  /** Seconds. */
  readonly timeout?: number;
}

/** Shows the messages that a sandbox received, with `--wait-for` once there are that many. */
export async function showMessages(
  { url, to, sender, since, waitFor, timeout }: MessagesFlags,
  context: Context,
): Promise<void> {
  const { host, presenter } = context;
  if (timeout !== undefined && waitFor === undefined) throw lacking("--timeout", "--wait-for");
  const address = sandboxAddress(url, host.environment);
  const query = {
    ...(to !== undefined && { to }),
    ...(sender !== undefined && { sender }),
    ...(since !== undefined && { since }),
  };
  const messages =
    waitFor === undefined
      ? await readMessages(address, query)
      : await waitForMessages(address, query, waitFor, timeout ?? 10, context);
  presenter.show(messagesView(messages, host.now()));
  if (messages.length === 0) presenter.note("No messages.");
}
