import { useLayoutEffect, useRef, useState } from "preact/hooks";
import type { SandboxRequest } from "../sandbox/request-log.ts";
import type { Deleted } from "./actions.ts";
import { EntryItem } from "./entry.tsx";
import { type Conversation, type Entry, isMessage } from "./mailbox.ts";
import type { Search } from "./search.ts";
import { count, nameOf } from "./text.tsx";

const pageSize = 100;

type ThreadProps = Readonly<{
  conversation: Conversation;
  search: Search;
  /** The message that the page's address names, to which the thread scrolls. */
  aim: string | undefined;
  /** By the id of the message that it became. */
  requests: ReadonlyMap<string | undefined, SandboxRequest>;
  remove: (what: Deleted) => void;
}>;

/** The entries of a conversation that the search finds: the latest, and earlier ones on request. Styles keep it at its end. */
export function Thread({ conversation: { to, entries: all }, search, aim, requests, remove }: ThreadProps) {
  const scroller = useRef<HTMLDivElement>(null);
  /** The first entry that is shown while the thread is not at its end. */
  const [start, setStart] = useState<string>();
  const entries = all.filter((entry) => search.finds(entry) || isMessage(entry, aim));
  const aimAt = entries.findIndex((entry) => isMessage(entry, aim));
  const startAt = start === undefined ? -1 : entries.findIndex((entry) => keyOf(entry) === start);
  const pageAt = startAt < 0 ? Math.max(0, entries.length - pageSize) : startAt;
  const first = aimAt < 0 ? pageAt : Math.min(pageAt, aimAt);
  const startWith = (index: number) => setStart(entries.slice(Math.max(0, index)).map(keyOf)[0]);
  const onScroll = () => {
    const isAtEnd = (scroller.current?.scrollTop ?? 0) > -1;
    if (isAtEnd) setStart(undefined);
    else if (start === undefined) startWith(first);
  };
  useLayoutEffect(() => {
    scroller.current?.querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
  }, [aimAt < 0 ? undefined : aim]);

  return (
    <section id="thread" aria-labelledby="recipient">
      <header>
        <a id="back" class="back" href="#" aria-label="Back to conversations">
          ‹
        </a>
        <h2 id="recipient">{nameOf(to)}</h2>
        <p id="totals" class="soft">
          {totalsOf(all, entries.length)}
        </p>
        <button id="delete" title="Delete this conversation" onClick={() => remove({ to })}>
          Delete
        </button>
      </header>
      <div id="scroll" tabIndex={0} role="group" aria-label="Messages" ref={scroller} onScroll={onScroll}>
        <div>
          <button id="earlier" hidden={first === 0} onClick={() => startWith(first - pageSize)}>
            {`Show earlier (${first.toLocaleString("en")})`}
          </button>
          <ol id="entries">
            {entries.slice(first).map((entry) => (
              <EntryItem
                key={keyOf(entry)}
                entry={entry}
                request={entry.kind === "message" ? requests.get(entry.messageId) : undefined}
                isAim={isMessage(entry, aim)}
                remove={remove}
              />
            ))}
          </ol>
        </div>
      </div>
      <button id="latest" hidden={start === undefined} onClick={() => scroller.current?.scrollTo({ top: 0 })}>
        Latest ↓
      </button>
    </section>
  );
}

function keyOf(entry: Entry): string {
  return entry.kind === "message" ? entry.messageId : String(entry.requestId);
}

function totalsOf(entries: readonly Entry[], found: number): string {
  const messages = entries.filter((entry) => entry.kind === "message");
  const refused = entries.length - messages.length;
  const segments = messages.reduce((sum, message) => sum + message.segments, 0);
  return [
    messages.length > 0 && `${count(messages.length, "message")} · ${count(segments, "segment")}`,
    refused > 0 && `${refused.toLocaleString("en")} refused`,
    found < entries.length && `${found.toLocaleString("en")} found`,
  ]
    .filter((part) => part !== false)
    .join(" · ");
}
