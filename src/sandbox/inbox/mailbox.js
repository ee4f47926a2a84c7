/** @import { SandboxMessage, SandboxRefusal } from "../account.ts" */
/** @import { Search } from "./search.js" */
import { fold } from "./search.js";

/**
 * An accepted message or a refusal, and its text for a search.
 * @typedef {(({ kind: "message" } & SandboxMessage) | ({ kind: "refusal" } & SandboxRefusal)) & { folded: string }} Entry
 */

/**
 * The entries for one recipient, oldest first.
 * @typedef {{ readonly to: string, readonly entries: Entry[], unread: number }} Conversation
 */

/** @typedef {ReturnType<typeof openMailbox>} Mailbox */

/** All entries by recipient. */
export function openMailbox() {
  /** @type {Map<string, Conversation>} The latest is last. */
  let conversations = new Map();
  let totals = noTotals();

  /** @param {Entry} entry */
  function put(entry) {
    const conversation = conversations.get(entry.to) ?? { to: entry.to, entries: [], unread: 0 };
    conversation.entries.push(entry);
    conversation.unread++;
    // A map keeps insertion order.
    conversations.delete(entry.to);
    conversations.set(entry.to, conversation);
    count(totals, entry);
  }

  return {
    /** @param {SandboxMessage} message */
    addMessage: (message) => put(messageEntry(message)),

    /** @param {SandboxRefusal} refusal */
    addRefusal: (refusal) => put(refusalEntry(refusal)),

    /**
     * Adds entries before all others, as read.
     * @param {readonly SandboxMessage[]} messages
     * @param {readonly SandboxRefusal[]} refusals
     */
    addEarlier(messages, refusals) {
      const later = conversations;
      conversations = new Map();
      const entries = [...messages.map(messageEntry), ...refusals.map(refusalEntry)];
      for (const entry of entries.sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))) put(entry);
      for (const conversation of conversations.values()) conversation.unread = 0;
      for (const [to, conversation] of later) {
        conversation.entries.unshift(...(conversations.get(to)?.entries ?? []));
        conversations.delete(to);
        conversations.set(to, conversation);
      }
    },

    clear() {
      conversations.clear();
      totals = noTotals();
    },

    /** @param {string} to */
    get: (to) => conversations.get(to),

    /**
     * The recipient of the message with that id.
     * @param {string} id
     */
    recipientOf(id) {
      for (const { to, entries } of conversations.values()) {
        if (entries.some((entry) => entry.kind === "message" && entry.messageId === id)) return to;
      }
      return undefined;
    },

    totals() {
      let unread = 0;
      for (const conversation of conversations.values()) unread += conversation.unread;
      return { ...totals, unread, isEmpty: conversations.size === 0 };
    },

    /** @param {Search} search */
    latestFirst(search) {
      const all = [...conversations.values()].toReversed();
      return search.typed === "" ? all : all.filter(({ entries }) => entries.some(search.finds));
    },
  };
}

function noTotals() {
  return { messages: 0, refusals: 0, credits: 0, costKes: 0 };
}

/**
 * @param {ReturnType<typeof noTotals>} totals
 * @param {Entry} entry
 */
function count(totals, entry) {
  if (entry.kind === "refusal") totals.refusals++;
  else totals.messages++;
  if (entry.kind === "refusal" || entry.mode === "test") return;
  totals.credits += entry.totalCredits;
  totals.costKes += entry.totalCostKes;
}

/**
 * @param {SandboxMessage} message
 * @returns {Entry}
 */
function messageEntry(message) {
  const { to, senderId, messageId, message: text } = message;
  return { kind: "message", ...message, folded: fold([to, senderId, messageId, text].join("\n")) };
}

/**
 * @param {SandboxRefusal} refusal
 * @returns {Entry}
 */
function refusalEntry(refusal) {
  const { to, senderId = "", status, reason = "", message = "" } = refusal;
  return { kind: "refusal", ...refusal, folded: fold([to, senderId, status, reason, message].join("\n")) };
}
