import type { SandboxRequest } from "../sandbox/request-log.ts";
import type { Deleted } from "./actions.ts";
import { EntryItem } from "./entry.tsx";
import { type Conversation, type Entry, isMessage } from "./mailbox.ts";
import type { Search } from "./search.ts";
import { count, nameOf } from "./text.tsx";

const pageSize = 100;
const nearEndPixels = 60;

/**
 * Which entries of the open conversation are shown, and where it is scrolled to: at its end, its latest entries, and
 * earlier ones on request. `paint` draws them.
 */
export function openThreadPlace(paint: () => void) {
  let conversation: Conversation | undefined;
  let typed = "";
  /** What the search finds, and the place of the first one that is shown. */
  let entries: readonly Entry[] = [];
  let first = 0;
  let hasNews = false;
  /** The message that the page's address names, once it was shown. */
  let aimedAt: string | undefined;
  let scrollTo: "aim" | "end" | undefined;

  const scroller = () => document.getElementById("scroll") ?? document.body;
  const below = ({ scrollHeight, scrollTop } = scroller()) => scrollHeight - scrollTop;
  const isAtEnd = () => below() - scroller().clientHeight < nearEndPixels;

  return {
    shown: () => ({ conversation, entries, first, hasNews, aimedAt }),
    /** Takes what is to be shown, before it is painted; `messageId` is the message to scroll to. */
    show(next: Conversation | undefined, search: Search, messageId: string | undefined): void {
      const before = { first: entries[first], last: entries.at(-1), length: entries.length - first };
      const follows = next?.to !== conversation?.to || search.typed !== typed || isAtEnd();
      conversation = next;
      typed = search.typed;
      entries = next?.entries.filter(search.finds) ?? [];
      if (follows) first = Math.max(0, entries.length - pageSize);
      else {
        // Earlier entries may have come before it, or it was deleted.
        const place = entries.findIndex((entry) => isSame(entry, before.first));
        first = place < 0 ? Math.max(0, entries.length - before.length) : place;
        hasNews ||= !isSame(entries.at(-1), before.last);
      }
      const aim = entries.findIndex((entry) => isMessage(entry, messageId));
      const isNewAim = aim >= 0 && messageId !== aimedAt;
      aimedAt = aim < 0 ? undefined : messageId;
      if (isNewAim) first = Math.min(first, aim);
      scrollTo = isNewAim ? "aim" : follows && aim < 0 ? "end" : undefined;
      if (scrollTo === "end") hasNews = false;
    },
    /** Scrolls to where `show` wants to be, after it is painted. */
    settle(): void {
      if (scrollTo === "aim") scroller().querySelector("[aria-current]")?.scrollIntoView({ block: "center" });
      if (scrollTo === "end") scroller().scrollTop = scroller().scrollHeight;
      scrollTo = undefined;
    },
    showEarlier(): void {
      const kept = below();
      first = Math.max(0, first - pageSize);
      paint();
      scroller().scrollTop = scroller().scrollHeight - kept;
    },
    showLatest(): void {
      scrollTo = "end";
      hasNews = false;
      paint();
    },
    onScroll(): void {
      if (!hasNews || !isAtEnd()) return;
      hasNews = false;
      paint();
    },
  };
}

type ThreadProps = Readonly<{
  place: ReturnType<typeof openThreadPlace>;
  /** By the id of the message that it became. */
  requests: ReadonlyMap<string | undefined, SandboxRequest>;
  remove: (what: Deleted) => void;
}>;

export function Thread({ place, requests, remove }: ThreadProps) {
  const { conversation, entries, first, hasNews, aimedAt } = place.shown();
  const to = conversation?.to ?? "";
  return (
    <section id="thread" aria-labelledby="recipient" hidden={conversation === undefined}>
      <header>
        <a id="back" class="back" href="#" aria-label="Back to conversations">
          ‹
        </a>
        <h2 id="recipient">{nameOf(to)}</h2>
        <p id="totals" class="soft">
          {conversation && totalsOf(conversation.entries, entries.length)}
        </p>
        <button id="delete" title="Delete this conversation" onClick={() => remove({ to })}>
          Delete
        </button>
      </header>
      <div id="scroll" tabIndex={0} role="group" aria-label="Messages" onScroll={() => place.onScroll()}>
        <button id="earlier" hidden={first === 0} onClick={() => place.showEarlier()}>
          {`Show earlier (${first.toLocaleString("en")})`}
        </button>
        <ol id="entries">
          {entries.slice(first).map((entry) => {
            const id = entry.kind === "message" ? entry.messageId : undefined;
            const key = id ?? `${entry.at} ${entry.kind === "refusal" && entry.requestId}`;
            const isAim = isMessage(entry, aimedAt);
            return <EntryItem key={key} entry={entry} request={requests.get(id)} isAim={isAim} remove={remove} />;
          })}
        </ol>
      </div>
      <button id="latest" hidden={!hasNews} onClick={() => place.showLatest()}>
        New messages ↓
      </button>
    </section>
  );
}

/** Whether both are one entry. After a deletion all are read anew. */
function isSame(one: Entry | undefined, other: Entry | undefined): boolean {
  return one?.at === other?.at && one?.folded === other?.folded;
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
