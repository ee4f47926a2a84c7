import { agoText } from "./ago.ts";
import { listingText } from "./listing.ts";
import type { Page, View } from "./presenter.ts";
import { visible } from "./sanitize.ts";

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

/** Lists the messages that a sandbox received. `now` is in milliseconds. */
export function messagesView(messages: readonly ReceivedMessage[], now: number): View {
  return {
    json: () => messages,
    quiet: () => messages.map(({ messageId }) => visible(messageId)),
    text: (page) => (messages.length === 0 ? "" : messagesText(messages, now, page)),
  };
}

function messagesText(messages: readonly ReceivedMessage[], now: number, page: Page): string {
  const rows = messages.map(({ at, to, senderId, mode, segments, message }) =>
    [agoText(Date.parse(at), now), to, senderId, mode, String(segments), message].map(visible),
  );
  return listingText(page, [["TIME", "TO", "FROM", "MODE", "SEGMENTS", "TEXT"], ...rows]);
}
