/** @import { SandboxMessage, SandboxRefusal } from "../account.ts" */

/**
 * An accepted message or a refusal.
 * @typedef {({ kind: "message" } & SandboxMessage) | ({ kind: "refusal" } & SandboxRefusal)} Entry
 */

/**
 * The entries for one recipient, oldest first.
 * @typedef {{ readonly to: string, readonly entries: Entry[], unread: number }} Conversation
 */

/** All entries by recipient. */
export function openMailbox() {
  /** @type {Map<string, Conversation>} The latest is last. */
  let conversations = new Map();

  /** @param {Entry} entry */
  function add(entry) {
    const conversation = conversations.get(entry.to) ?? { to: entry.to, entries: [], unread: 0 };
    conversation.entries.push(entry);
    conversation.unread++;
    // A map keeps insertion order.
    conversations.delete(entry.to);
    conversations.set(entry.to, conversation);
  }

  return {
    add,

    /**
     * Adds entries before all others, as read.
     * @param {readonly SandboxMessage[]} messages
     * @param {readonly SandboxRefusal[]} refusals
     */
    addEarlier(messages, refusals) {
      const later = conversations;
      conversations = new Map();
      /** @type {Entry[]} */
      const entries = [];
      for (const message of messages) entries.push({ kind: "message", ...message });
      for (const refusal of refusals) entries.push({ kind: "refusal", ...refusal });
      for (const entry of entries.sort((a, b) => Date.parse(a.at) - Date.parse(b.at))) add(entry);
      for (const conversation of conversations.values()) conversation.unread = 0;
      for (const [to, conversation] of later) {
        conversation.entries.unshift(...(conversations.get(to)?.entries ?? []));
        conversations.delete(to);
        conversations.set(to, conversation);
      }
    },

    clear: () => conversations.clear(),

    /** @param {string} to */
    get: (to) => conversations.get(to),

    totals() {
      let messages = 0;
      let unread = 0;
      for (const conversation of conversations.values()) {
        messages += conversation.entries.filter(({ kind }) => kind === "message").length;
        unread += conversation.unread;
      }
      return { isEmpty: conversations.size === 0, messages, unread };
    },

    /** @param {Search} search */
    latestFirst(search) {
      const all = [...conversations.values()].toReversed();
      return search.text === "" ? all : all.filter(({ entries }) => entries.some(search.finds));
    },
  };
}

/** @typedef {ReturnType<typeof searchFor>} Search */

/**
 * A search for text, or for a number in any notation: 0712 345 678 finds +254712345678.
 * @param {string} typed
 */
export function searchFor(typed) {
  const text = fold(typed.trim());
  const digits = /^[\d\s()+.-]+$/.test(text) ? text.replace(/\D/g, "").replace(/^0/, "") : "";
  return {
    text,
    /** @param {{ readonly to: string, readonly message?: string, readonly senderId?: string }} entry */
    finds: ({ to, message = "", senderId = "" }) =>
      text === "" ||
      (digits !== "" && to.includes(digits)) ||
      [to, message, senderId].some((one) => fold(one).includes(text)),
  };
}

/** @param {string} text */
export function fold(text) {
  return text.toLowerCase();
}
