import type { AccountEvent } from "./account.ts";
import { refusal, type Reply, withHeaders } from "./reply.ts";
import type { SandboxRequest } from "./request-log.ts";

const retryAfter = 1000;

/** Browsers keep six connections to a server, so this is enough for several. */
const maxReaders = 32;

export type FeedEvent = AccountEvent | { readonly name: "request"; readonly data: SandboxRequest };

/** Opens a feed. The id of an event is its number, from 1; a `snapshot` has the number of the last event in it. */
export function openFeed() {
  const readers = new Set<(text: string) => void>();
  let events = 0;
  return {
    publish: ({ name, data }: FeedEvent): void => {
      const text = eventText(++events, name, data);
      for (const write of readers) write(text);
    },
    /** This `snapshot`, then an event for each change. 503 if there are too many readers. */
    replyWith: (snapshot: object): Reply => {
      if (readers.size >= maxReaders) {
        const error = `${maxReaders} readers follow this sandbox already; close one of them`;
        return withHeaders(refusal(503, "TOO_MANY_READERS", error), { "Retry-After": "1" });
      }
      return {
        kind: "stream",
        first: `retry: ${retryAfter}\n${eventText(events, "snapshot", snapshot)}`,
        listen: (write) => {
          readers.add(write);
          return () => readers.delete(write);
        },
      };
    },
    readers: () => readers.size,
  };
}

function eventText(id: number, name: FeedEvent["name"] | "snapshot", data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
