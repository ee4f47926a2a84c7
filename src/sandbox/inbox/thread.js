/** @import { Conversation, Entry } from "./mailbox.js" */
/** @import { Search } from "./search.js" */
import { byId, count, showChildren } from "./dom.js";
import { entryElement } from "./entry.js";
import { oneLine } from "./text.js";

const pageSize = 100;
const nearEndPixels = 60;

/** The open conversation: its latest entries, and earlier ones on request. */
export function openThread() {
  const section = byId("thread", HTMLElement);
  const recipient = byId("recipient", HTMLHeadingElement);
  const totals = byId("totals", HTMLParagraphElement);
  const scroll = byId("scroll", HTMLDivElement);
  const list = byId("entries", HTMLOListElement);
  const earlier = byId("earlier", HTMLButtonElement);
  const latest = byId("latest", HTMLButtonElement);

  /** @type {WeakMap<Entry, HTMLElement>} */
  const elements = new WeakMap();
  /** @type {Conversation | undefined} */
  let shown;
  let shownSearch = "";
  let first = 0;
  /** @type {string | undefined} The message that the page's address names, once it was shown. */
  let aimedAt;
  /** @type {Entry | undefined} */
  let firstShown;
  /** @type {Entry | undefined} */
  let lastShown;

  const isAtEnd = () => scroll.scrollHeight - scroll.scrollTop - scroll.clientHeight < nearEndPixels;
  const scrollToEnd = () => {
    scroll.scrollTop = scroll.scrollHeight;
    latest.hidden = true;
  };

  /** @param {Entry} entry */
  function elementOf(entry) {
    const node = elements.get(entry) ?? entryElement(entry);
    elements.set(entry, node);
    return node;
  }

  /** @param {readonly Entry[]} entries */
  function showFrom(entries) {
    showChildren(list, entries.slice(first).map(elementOf));
    firstShown = entries[first];
    lastShown = entries.at(-1);
    earlier.hidden = first === 0;
    earlier.textContent = `Show earlier (${first.toLocaleString("en")})`;
  }

  latest.addEventListener("click", scrollToEnd);
  scroll.addEventListener("scroll", () => {
    if (isAtEnd()) latest.hidden = true;
  });

  return {
    /**
     * @param {Conversation | undefined} conversation
     * @param {Search} search
     * @param {string} [messageId] the message to scroll to
     */
    show(conversation, search, messageId) {
      section.hidden = conversation === undefined;
      if (conversation === undefined) {
        shown = undefined;
        aimedAt = undefined;
        list.replaceChildren();
        return;
      }
      const entries = conversation.entries.filter(search.finds);
      const isOther = conversation.to !== shown?.to || search.typed !== shownSearch;
      const follows = isOther || isAtEnd();
      if (follows) first = Math.max(0, entries.length - pageSize);
      else {
        // Earlier entries may have come before it, or it was deleted.
        const place = entries.findIndex((entry) => isSame(entry, firstShown));
        first = place < 0 ? Math.max(0, entries.length - list.children.length) : place;
        if (!isSame(entries.at(-1), lastShown)) latest.hidden = false;
      }
      shown = conversation;
      shownSearch = search.typed;
      recipient.textContent = oneLine(conversation.to) || "no recipient";
      totals.textContent = totalsOf(conversation.entries, entries.length);
      const aim = entries.findIndex((entry) => entry.kind === "message" && entry.messageId === messageId);
      const isNewAim = aim >= 0 && messageId !== aimedAt;
      aimedAt = aim < 0 ? undefined : messageId;
      if (isNewAim) first = Math.min(first, aim);
      showFrom(entries);
      const entry = entries[aim];
      for (const node of list.children) node.ariaCurrent = entry && node === elements.get(entry) ? "true" : null;
      if (isNewAim && entry) elementOf(entry).scrollIntoView({ block: "center" });
      else if (follows && aim < 0) scrollToEnd();
    },

    /** @param {Search} search */
    showEarlier(search) {
      const below = scroll.scrollHeight - scroll.scrollTop;
      first = Math.max(0, first - pageSize);
      showFrom(shown?.entries.filter(search.finds) ?? []);
      scroll.scrollTop = scroll.scrollHeight - below;
    },

    /**
     * Whether it shows the conversation with a recipient as it was before the history was read anew.
     * @param {string | undefined} to
     * @param {Conversation | undefined} conversation as it is now
     */
    isOlder: (to, conversation) => shown !== undefined && shown.to === to && shown !== conversation,

    /**
     * Whether the message that the page's address names was shown.
     * @param {string} id
     */
    hasShown: (id) => aimedAt === id,

    focus: () => scroll.focus({ preventScroll: true }),

    hasFocus: () => section.contains(document.activeElement),
  };
}

/**
 * Whether both are one entry. After a deletion all are read anew.
 * @param {Entry | undefined} one
 * @param {Entry | undefined} other
 */
function isSame(one, other) {
  return one?.at === other?.at && one?.folded === other?.folded;
}

/**
 * @param {readonly Entry[]} entries
 * @param {number} found
 */
function totalsOf(entries, found) {
  const messages = entries.filter((entry) => entry.kind === "message");
  const refused = entries.length - messages.length;
  const segments = messages.reduce((sum, message) => sum + message.segments, 0);
  return [
    ...(messages.length === 0 ? [] : [count(messages.length, "message"), count(segments, "segment")]),
    ...(refused === 0 ? [] : [`${refused.toLocaleString("en")} refused`]),
    ...(found === entries.length ? [] : [`${found.toLocaleString("en")} found`]),
  ].join(" · ");
}
