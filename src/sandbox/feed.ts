import type { AccountEvent } from "./account.ts";
import type { Reply } from "./reply.ts";
import type { SandboxRequest } from "./request-log.ts";

export type FeedEvent = AccountEvent | { readonly name: "request"; readonly data: SandboxRequest };

/** Opens a feed: to each reader a `snapshot`, then an event for each change. */
export function openFeed() {
  const readers = new Set<(text: string) => void>();
  return {
    publish: ({ name, data }: FeedEvent): void => {
      const text = eventText(name, data);
      for (const write of readers) write(text);
    },
    replyWith: (snapshot: object): Reply => ({
      kind: "stream",
      first: eventText("snapshot", snapshot),
      listen: (write) => {
        readers.add(write);
        return () => readers.delete(write);
      },
    }),
  };
}

function eventText(name: string, data: object): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
