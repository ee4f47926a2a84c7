/** @import { Conversation, Entry, Search } from "./mailbox.js" */
import { clock } from "./clock.js";
import { byId, element, showChildren } from "./dom.js";
import { problemOf } from "./entry.js";
import { oneLine } from "./text.js";

const pageSize = 200;

/**
 * The recipient in the page's address, such as `#to=%2B254712345678`.
 * @param {string} hash
 */
export function recipientIn(hash) {
  return new URLSearchParams(hash.slice(1)).get("to") ?? undefined;
}

/** The list of conversations, latest first. */
export function openList() {
  const list = byId("conversations", HTMLOListElement);
  const more = byId("more-conversations", HTMLButtonElement);
  /** @type {WeakMap<Conversation, ReturnType<typeof openRow>>} */
  const rows = new WeakMap();
  let limit = pageSize;

  /** @param {Conversation} conversation */
  function rowOf(conversation) {
    const row = rows.get(conversation) ?? openRow(conversation.to);
    rows.set(conversation, row);
    return row;
  }

  return {
    /**
     * @param {readonly Conversation[]} conversations
     * @param {Search} search
     * @param {string | undefined} opened
     */
    show(conversations, search, opened) {
      const shown = conversations.slice(0, limit);
      showChildren(
        list,
        shown.map((conversation) => rowOf(conversation).update(conversation, search, conversation.to === opened)),
      );
      more.hidden = shown.length === conversations.length;
    },

    showMore() {
      limit += pageSize;
    },

    firstLink: () => list.querySelector("a"),

    /**
     * The link `step` rows below the focused one, else below the open one; negative is above.
     * @param {number} step
     */
    linkAt(step) {
      const links = [...list.querySelectorAll("a")];
      const focused = links.findIndex((link) => link === document.activeElement);
      const from = focused >= 0 ? focused : links.findIndex((link) => link.ariaCurrent === "true");
      return from < 0 ? links[0] : links[Math.max(0, Math.min(from + step, links.length - 1))];
    },
  };
}

/** @param {string} to */
function openRow(to) {
  const when = element("span", { class: "when" });
  const snippet = element("span", { class: "snippet", dir: "auto" });
  const unread = element("span", { class: "unread" });
  const link = element(
    "a",
    { href: `#to=${encodeURIComponent(to)}` },
    element("span", { class: "to" }, oneLine(to) || "no recipient"),
    unread,
    when,
    snippet,
  );
  const item = element("li", {}, link);
  /** @type {Entry | undefined} */
  let shown;
  return {
    /**
     * @param {Conversation} conversation
     * @param {Search} search
     * @param {boolean} isOpen
     */
    update(conversation, search, isOpen) {
      const entry = conversation.entries.findLast(search.finds);
      if (entry !== undefined && entry !== shown) {
        when.replaceChildren(clock(entry.at, "minute"));
        snippet.replaceChildren(...mark(entry), oneLine(entry.message ?? ""));
        shown = entry;
      }
      const news = conversation.unread === 0 ? "" : `${conversation.unread.toLocaleString("en")} new`;
      if (unread.textContent !== news) unread.textContent = news;
      link.ariaCurrent = isOpen ? "true" : null;
      return item;
    },
  };
}

/** @param {Entry} entry */
function mark(entry) {
  const problem = problemOf(entry);
  return problem === undefined ? [] : [element("bdi", { class: `problem ${entry.kind}` }, problem), " "];
}
