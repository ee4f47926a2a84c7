import type { Entry as KeptEntry, SandboxMessage, SandboxRefusal } from "../history.ts";
import { fold, type Search } from "./search.ts";

/** An accepted message or a refusal, and its text for a search. */
export type Entry = (
  | ({ readonly kind: "message" } & SandboxMessage)
  | ({ readonly kind: "refusal" } & SandboxRefusal)
) & {
  readonly folded: string;
};

/** The entries for one recipient, oldest first. */
export type Conversation = Readonly<{ to: string; entries: Entry[] }>;

const nothing = { sent: 0, refused: 0, broken: 0, credits: 0, costKes: 0 };

export function openMailbox() {
  /** The latest is last. */
  let conversations = new Map<string, Conversation>();
  let totals = { ...nothing };
  let latest = "";
  let latestId: string | undefined;
  /** The times of the latest entries when the page was opened, and when each conversation was looked at. */
  let openedAt: string | undefined;
  const lookedAt = new Map<string, string>();

  function add(kept: KeptEntry): void {
    const entry = "message" in kept ? messageEntry(kept.message) : refusalEntry(kept.refusal);
    const { to, at } = entry;
    const conversation = conversations.get(to) ?? { to, entries: [] };
    conversation.entries.push(entry);
    // A map keeps insertion order.
    conversations.delete(to);
    conversations.set(to, conversation);
    if (at > latest) latest = at;
    if (entry.kind === "refusal") totals.refused++;
    else totals.sent++;
    if (entry.kind === "message" && at === latest) latestId = entry.messageId;
    if (entry.kind === "message" && entry.fault !== undefined) totals.broken++;
    if (entry.kind === "refusal" || entry.mode === "test") return;
    totals.credits += entry.totalCredits;
    totals.costKes += entry.totalCostKes;
  }

  function unreadOf({ to, entries }: Conversation): number {
    const readAt = lookedAt.get(to) ?? openedAt ?? latest;
    return entries.length - 1 - entries.findLastIndex(({ at }) => at <= readAt);
  }

  return {
    unreadOf,
    add,
    latestId: () => latestId,
    addEarlier: (entries: readonly KeptEntry[]): void => {
      const later = conversations;
      conversations = new Map();
      entries.forEach(add);
      for (const [to, conversation] of later) {
        conversation.entries.unshift(...(conversations.get(to)?.entries ?? []));
        conversations.delete(to);
        conversations.set(to, conversation);
      }
      openedAt ??= latest;
    },
    clear: (): void => {
      conversations = new Map();
      totals = { ...nothing };
      latestId = undefined;
    },
    get: (to: string | undefined): Conversation | undefined => (to === undefined ? undefined : conversations.get(to)),
    lookAt: ({ to, entries }: Conversation) => lookedAt.set(to, entries.at(-1)?.at ?? ""),
    recipientOf: (id: string): string | undefined =>
      [...conversations.values()].find(({ entries }) => entries.some((entry) => isMessage(entry, id)))?.to,
    totals: () => {
      const unread = [...conversations.values()].reduce((sum, one) => sum + unreadOf(one), 0);
      return { ...totals, unread, isEmpty: conversations.size === 0 };
    },
    latestFirst: ({ isOn, finds }: Search): readonly Conversation[] => {
      const all = [...conversations.values()].toReversed();
      return !isOn ? all : all.filter(({ entries }) => entries.some(finds));
    },
  };
}

export function keyOf(entry: Entry): string {
  return entry.kind === "message" ? entry.messageId : String(entry.requestId);
}

export function isMessage(entry: Entry, id: string | undefined): boolean {
  return entry.kind === "message" && entry.messageId === id;
}

function messageEntry(message: SandboxMessage): Entry {
  const { to, senderId, messageId, message: text } = message;
  return { kind: "message", ...message, folded: fold([to, senderId, messageId, text].join("\n")) };
}

function refusalEntry(refusal: SandboxRefusal): Entry {
  const { to, senderId = "", status, reason, message = "" } = refusal;
  return { kind: "refusal", ...refusal, folded: fold([to, senderId, status, reason, message].join("\n")) };
}
