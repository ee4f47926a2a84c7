/** Messages and refusals, each oldest first. */
export interface Entries<Message, Refusal> {
  readonly messages: readonly Message[];
  readonly refusals: readonly Refusal[];
}

/** A message or a refusal. */
export type Entry<Message, Refusal> = { readonly message: Message } | { readonly refusal: Refusal };

/** What was kept of an earlier history, and what keeps this one. */
export interface Kept<Message, Refusal> extends Entries<Message, Refusal> {
  /** `now` has the entry, too. */
  readonly append: (entry: Entry<Message, Refusal>, now: Entries<Message, Refusal>) => void;
  readonly replace: (now: Entries<Message, Refusal>) => void;
}

/** The messages and refusals of an account; its lists are always the same. */
export interface History<Message, Refusal> extends Entries<Message, Refusal> {
  readonly addMessage: (message: Message) => void;
  readonly addRefusal: (refusal: Refusal) => void;
  readonly clear: () => void;
  /** Deletes the entries that match; returns whether there were any. */
  readonly remove: (matches: (entry: Message | Refusal) => boolean) => boolean;
  /** Brings back what the last `clear` or `remove` deleted; returns whether there was anything. */
  readonly undo: () => boolean;
  /** Lets nothing be brought back. */
  readonly endUndo: () => void;
}

/** Messages, and refusals, in memory; older ones are dropped, so that a sandbox can run for months. */
const maxKept = 100_000;

/** Opens a history with the latest of what is kept. */
export function openHistory<Message, Refusal>(kept?: Kept<Message, Refusal>): History<Message, Refusal> {
  const messages = kept?.messages.slice(-maxKept) ?? [];
  const refusals = kept?.refusals.slice(-maxKept) ?? [];
  const now = { messages, refusals };
  let before: Entries<Message, Refusal> | undefined;
  return {
    ...now,
    addMessage: (message) => {
      add(messages, message);
      kept?.append({ message }, now);
    },
    addRefusal: (refusal) => {
      add(refusals, refusal);
      kept?.append({ refusal }, now);
    },
    clear: () => {
      before = { messages: messages.splice(0), refusals: refusals.splice(0) };
      kept?.replace(now);
    },
    remove: (matches) => {
      if (!messages.some(matches) && !refusals.some(matches)) return false;
      before = { messages: removeFrom(messages, matches), refusals: removeFrom(refusals, matches) };
      kept?.replace(now);
      return true;
    },
    undo: () => {
      if (before === undefined) return false;
      restore(messages, before.messages);
      restore(refusals, before.refusals);
      before = undefined;
      kept?.replace(now);
      return true;
    },
    endUndo: () => {
      before = undefined;
    },
  };
}

function add<T>(entries: T[], entry: T): void {
  entries.push(entry);
  if (entries.length > maxKept) entries.shift();
}

/** Removes the entries that match, and returns all that were there. */
function removeFrom<T>(entries: T[], matches: (entry: T) => boolean): readonly T[] {
  const old = entries.splice(0);
  for (const entry of old) if (!matches(entry)) entries.push(entry);
  return old;
}

/** Puts back the entries as they were, before those that came since. */
function restore<T>(entries: T[], before: readonly T[]): void {
  const known = new Set(before);
  const later = entries.splice(0).filter((entry) => !known.has(entry));
  for (const entry of [...before, ...later].slice(-maxKept)) entries.push(entry);
}
