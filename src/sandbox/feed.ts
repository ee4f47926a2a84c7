import type { Account, AccountEvent } from "./account.ts";
import type { Stream } from "./reply.ts";

/** Milliseconds before a browser reconnects. */
const retryAfter = 1000;

/** The account as server-sent events with JSON data: one `snapshot`, then an event for each change. */
export function feedOf(account: Account, url: string): Stream {
  const { messages, refusals } = account;
  const snapshot = { url, ...account.summary(), messages, refusals };
  return {
    kind: "stream",
    first: `retry: ${retryAfter}\n${eventText("snapshot", snapshot)}`,
    listen: (listener) => account.listen(({ name, data }) => listener(eventText(name, data))),
  };
}

function eventText(name: AccountEvent["name"] | "snapshot", data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
