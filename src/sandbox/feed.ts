import type { Account, AccountEvent } from "./account.ts";
import type { Stream } from "./reply.ts";

/** Milliseconds after which a browser that lost the feed asks for it again. */
const retryAfter = 1000;

/**
 * An account as it happens, for whoever shows it: first one event `snapshot` of all there is, then an event for each
 * change. Every event's data is one line of JSON.
 */
export function feedOf(account: Account, url: string): Stream {
  const { messages, refusals } = account;
  const snapshot = { url, ...account.summary(), messages, refusals };
  return {
    kind: "stream",
    first: `retry: ${retryAfter}\n${eventText("snapshot", snapshot)}`,
    listen: (hear) => account.listen(({ name, data }) => hear(eventText(name, data))),
  };
}

function eventText(name: AccountEvent["name"] | "snapshot", data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
