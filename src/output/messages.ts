import type { View } from "./presenter.ts";
import { visible } from "./sanitize.ts";
import { tableText } from "./table.ts";

/** A message that a sandbox received. */
export interface ReceivedMessage {
  readonly messageId: string;
  /** ISO 8601 in UTC. */
  readonly at: string;
  readonly to: string;
  /** The name of the sender ID. */
  readonly senderId: string;
  readonly mode: string;
  readonly segments: number;
  readonly message: string;
}

/** Lists the messages that a sandbox received. */
export function messagesView(messages: readonly ReceivedMessage[]): View {
  return {
    json: () => messages,
    quiet: () => messages.map(({ messageId }) => visible(messageId)),
    text: () => (messages.length === 0 ? "" : messagesText(messages)),
  };
}

function messagesText(messages: readonly ReceivedMessage[]): string {
  const rows = messages.map(({ at, to, senderId, mode, segments, message }) =>
    [at, to, senderId, mode, String(segments), message].map(visible),
  );
  return tableText([["TIME", "TO", "FROM", "MODE", "SEGMENTS", "TEXT"], ...rows]);
}
