import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SandboxRequest } from "../request-log.ts";
import type { Deleted } from "./actions.ts";
import { EntryItem } from "./entry.tsx";
import { type Conversation, type Entry, isMessage, keyOf } from "./mailbox.ts";
import type { Search } from "./search.ts";
import { count, grouped, recipientName } from "./pieces.tsx";

const pageSize = 100;

type ThreadProps = Readonly<{
  conversation: Conversation;
  search: Search;
  /** The message that the page's address names, to which the thread scrolls. */
  aim: string | undefined;
  /** By the id of the message that it became. */
  requests: ReadonlyMap<string | undefined, SandboxRequest>;
  /** The heights of deleted messages that keep their place. */
  gone: ReadonlyMap<string, number>;
  remove: (what: Deleted) => void;
}>;

/** The entries of a conversation that the search finds: the latest, and earlier ones on request. Styles keep it at its end. */
export function Thread({ conversation: { to, entries: all }, search, aim, requests, gone, remove }: ThreadProps) {
  const scroller = useRef<HTMLDivElement>(null);
  /** The first entry that is shown, and the last one that there was when the thread left its end; undefined at its end. */
  const [place, setPlace] = useState<Readonly<{ first: string; last: string }>>();
  const entries = all.filter((entry) => search.finds(entry) || isMessage(entry, aim));
  const aimAt = entries.findIndex((entry) => isMessage(entry, aim));
  const startAt = entries.findIndex((entry) => keyOf(entry) === place?.first);
  const pageAt = startAt < 0 ? Math.max(0, entries.length - pageSize) : startAt;
  const first = aimAt < 0 ? pageAt : Math.min(pageAt, aimAt);
  const startWith = (index: number) => {
    const [start, end] = [entries[Math.max(0, index)], entries.at(-1)];
    if (start && end) setPlace({ first: keyOf(start), last: place?.last ?? keyOf(end) });
  };
  const onScroll = () => {
    const isAtEnd = (scroller.current?.scrollTop ?? 0) > -1;
    if (isAtEnd) setPlace(undefined);
    else if (place === undefined) startWith(first);
  };
  const lastAt = entries.findLastIndex((entry) => keyOf(entry) === place?.last);
  const news = lastAt < 0 ? 0 : entries.length - 1 - lastAt;
  const left = all.filter((entry) => !gone.has(keyOf(entry)));
  useLayoutEffect(() => {
    scroller.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }, [aimAt < 0 ? undefined : aim]);

  return (
    <section id="thread" aria-labelledby="recipient">
      <header>
        <a id="back" class="back" href="#" aria-label="Back to conversations">
          ‹
        </a>
        <h2 id="recipient">
          <bdi>{recipientName(to)}</bdi>
        </h2>
        <p id="totals" class="soft">
          {totalsOf(left, left.filter(search.finds).length)}
        </p>
        <button id="delete" title="Delete this conversation" onClick={() => remove({ to })}>
          Delete<span class="unseen"> this conversation</span>
        </button>
      </header>
      <div id="scroll" tabIndex={0} role="group" aria-label="Messages" ref={scroller} onScroll={onScroll}>
        <div>
          <button id="earlier" hidden={first === 0} onClick={() => startWith(first - pageSize)}>
            {`Show earlier (${grouped(first)})`}
          </button>
          <ol id="entries">
            {entries.slice(first).map((entry) =>
              gone.has(keyOf(entry)) ? (
                <li key={keyOf(entry)} class="gone soft" style={{ minHeight: `${gone.get(keyOf(entry))}px` }}>
                  Deleted
                </li>
              ) : (
                <EntryItem
                  key={keyOf(entry)}
                  entry={entry}
                  request={entry.kind === "message" ? requests.get(entry.messageId) : undefined}
                  isAim={isMessage(entry, aim)}
                  remove={remove}
                />
              ),
            )}
          </ol>
        </div>
      </div>
      <button id="latest" hidden={place === undefined} onClick={() => scroller.current?.scrollTo({ top: 0 })}>
        {news > 0 ? `${grouped(news)} new ↓` : "Latest ↓"}
      </button>
    </section>
  );
}

function totalsOf(entries: readonly Entry[], found: number): string {
  const messages = entries.filter((entry) => entry.kind === "message");
  const refused = entries.length - messages.length;
  const segments = messages.reduce((sum, message) => sum + message.segments, 0);
  return [
    messages.length > 0 && `${count(messages.length, "message")} · ${count(segments, "segment")}`,
    refused > 0 && `${grouped(refused)} refused`,
    found < entries.length && `${grouped(found)} found`,
  ]
    .filter((part) => part !== false)
    .join(" · ");
}
