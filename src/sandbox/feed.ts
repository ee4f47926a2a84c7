import type { Account, AccountEvent, Place, SandboxMessage, SandboxRefusal } from "./account.ts";
import { type Behaviours, shownFaults } from "./behaviours.ts";
import { publisher } from "./publisher.ts";
import { refusal, type Reply } from "./reply.ts";
import type { RequestLog } from "./request-log.ts";

/** Milliseconds before a browser reconnects. */
const retryAfter = 1000;

/** Browsers keep six connections to a server, so this is enough for several. */
const maxReaders = 32;

const maxPageEntries = 500;

/** Characters of JSON in a page, so that a reader that does not read holds little. */
const maxPageLength = 256 * 1024;

/** The latest entries before a place, oldest first, and the place of the first one if there are earlier ones. */
export interface HistoryPage {
  readonly messages: readonly SandboxMessage[];
  readonly refusals: readonly SandboxRefusal[];
  readonly earlier?: Place;
}

/** The state of a sandbox as server-sent events with JSON data. */
export interface Feed {
  /** One `snapshot` with the latest page, then an event for each change. 503 if there are too many readers. */
  readonly replyFor: (url: string) => Reply;
  readonly readers: () => number;
}

interface Sources {
  readonly account: Account;
  readonly behaviours: Behaviours;
  readonly requests: RequestLog;
}

/** Opens a feed. The id of an event is its number, from 1; that of a `snapshot` is the number of the last event in it. */
export function openFeed({ account, behaviours, requests }: Sources): Feed {
  const { publish, listen, count } = publisher<string>();
  let events = 0;
  for (const source of [account, behaviours, requests]) {
    source.listen(({ name, data }) => {
      events++;
      if (count() > 0) publish(eventText(events, name, data));
    });
  }
  return {
    replyFor: (url) => {
      if (count() >= maxReaders) {
        return refusal(
          503,
          "TOO_MANY_READERS",
          `${maxReaders} readers follow this sandbox already; close one of them`,
          {
            "Retry-After": "1",
          },
        );
      }
      const snapshot = {
        url,
        ...account.summary(),
        ...shownFaults(behaviours.setup()),
        ...pageBefore(account, account.end()),
      };
      return { kind: "stream", first: `retry: ${retryAfter}\n${eventText(events, "snapshot", snapshot)}`, listen };
    },
    readers: count,
  };
}

/** The page before that place: what is kept of at most 500 entries and 256 Ki characters, and one entry if any. */
export function pageBefore(account: Account, place: Place): HistoryPage {
  const kept = account.end();
  const dropped = {
    messages: kept.messages - account.messages.length,
    refusals: kept.refusals - account.refusals.length,
  };
  const end = {
    messages: Math.max(0, Math.min(place.messages, kept.messages) - dropped.messages),
    refusals: Math.max(0, Math.min(place.refusals, kept.refusals) - dropped.refusals),
  };
  let { messages, refusals } = end;
  let length = 0;
  for (let count = 0; count < maxPageEntries && messages + refusals > 0; count++) {
    const message = account.messages[messages - 1];
    const refused = account.refusals[refusals - 1];
    const isMessage = message !== undefined && (refused === undefined || message.at > refused.at);
    length += JSON.stringify(isMessage ? message : { ...refused }).length;
    if (count > 0 && length > maxPageLength) break;
    if (isMessage) messages--;
    else refusals--;
  }
  const earlier = { messages: messages + dropped.messages, refusals: refusals + dropped.refusals };
  return {
    messages: account.messages.slice(messages, end.messages),
    refusals: account.refusals.slice(refusals, end.refusals),
    ...(messages + refusals > 0 && { earlier }),
  };
}

function eventText(id: number, name: AccountEvent["name"] | "faults" | "request" | "snapshot", data: object): string {
  return `id: ${id}\nevent: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
