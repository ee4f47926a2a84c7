import { requireAllowed } from "../../guards/open.ts";
import { isLive } from "../../service/credentials.ts";
import type { OnceMessage } from "../once-key.ts";
import type { AnySend, Send } from "../opening.ts";

export interface CountedMessage extends OnceMessage {
  readonly line: number;
  readonly segments: number;
  readonly isWatch?: true;
}

/** Throws if the guards do not allow the message now, or if the message `isLater` and they never allow it. */
export function requireSendable(
  { to, segments }: CountedMessage,
  { guards, options: { wait }, context }: AnySend,
  isLater = false,
): Promise<void> {
  const cost = { segments, exposure: 0, first: isLater ? 0 : segments, longest: segments };
  return requireAllowed(guards, { to, wait: wait && !isLater, isLater, ...cost }, context.host);
}

/** Throws for a message that is refused anyway, and a usage error if the answer is no. */
export async function confirmNumber(
  message: CountedMessage & { readonly assigned: boolean },
  send: Send,
  isLater = false,
): Promise<void> {
  const { destination, options, context } = send;
  if (message.assigned || !isLive(destination.mode) || options.yes) return;
  const prompter = (await import("../../terminal/prompt.ts")).prompterFor(context.host, options, "sent");
  if (prompter === undefined || (await send.once?.find(message)) !== undefined) return;
  await requireSendable(message, send, isLater);
  await prompter.confirm(`${message.to} may not exist. Send to it?`);
}
