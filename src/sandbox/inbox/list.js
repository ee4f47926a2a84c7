/** @import { Conversation, Entry } from "./mailbox.js" */
/** @import { Search } from "./search.js" */
import { clock } from "./clock.js";
import { byId, element, showChildren } from "./dom.js";
import { problemOf } from "./entry.js";
import { conversationAddress } from "./route.js";
import { oneLine } from "./text.js";

/** The list of conversations, latest first. */
export function openList() {
  const list = byId("conversations", HTMLOListElement);
  /** @type {WeakMap<Conversation, ReturnType<typeof openRow>>} */
  const rows = new WeakMap();

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
     * @param {number} limit
     */
    show(conversations, search, opened, limit) {
      showChildren(
        list,
        conversations
          .slice(0, limit)
          .map((conversation) => rowOf(conversation).update(conversation, search, conversation.to === opened)),
      );
    },
  };
}

/** @param {string} to */
function openRow(to) {
  const when = element("span", { class: "when" });
  const mode = element("span", { class: "mode" });
  const amount = element("span", { class: "amount" });
  const snippet = element("span", { class: "snippet", dir: "auto" });
  const unread = element("span", { class: "unread" });
  const link = element(
    "a",
    { href: conversationAddress(to) },
    element("span", { class: "to" }, oneLine(to) || "no recipient"),
    mode,
    unread,
    when,
    snippet,
    amount,
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
        mode.textContent = entry.mode ?? "";
        mode.className = `mode ${entry.mode ?? ""}`;
        shown = entry;
      }
      const entries = String(conversation.entries.length);
      if (amount.textContent !== entries) amount.textContent = entries;
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
  const sender = entry.senderId === undefined ? [] : [element("bdi", { class: "from" }, oneLine(entry.senderId)), " "];
  if (problem === undefined) return sender;
  const reason = entry.kind === "refusal" && entry.fault === undefined ? ` ${entry.reason ?? ""}` : "";
  return [element("bdi", { class: `problem ${entry.kind}` }, oneLine(problem + reason)), " ", ...sender];
}
