/** The messages and refusals of an account, oldest first. */
export interface History<Message, Refusal> {
  /** Always the same list. */
  readonly messages: readonly Message[];
  /** Always the same list. */
  readonly refusals: readonly Refusal[];
  readonly addMessage: (message: Message) => void;
  readonly addRefusal: (refusal: Refusal) => void;
  readonly clear: () => void;
  /** Deletes the entries that match; returns whether there were any. */
  readonly remove: (matches: (entry: Message | Refusal) => boolean) => boolean;
  /** Brings back what the last `clear` or `remove` deleted; returns whether there was anything. */
  readonly undo: () => boolean;
  /** Lets nothing be brought back. */
  readonly forget: () => void;
}

/** Messages, and refusals, in memory; older ones are dropped, so that a sandbox can run for months. */
const maxKept = 100_000;

/** Opens an empty history. */
export function openHistory<Message, Refusal>(): History<Message, Refusal> {
  const messages: Message[] = [];
  const refusals: Refusal[] = [];
  let before: { readonly messages: readonly Message[]; readonly refusals: readonly Refusal[] } | undefined;
  return {
    messages,
    refusals,
    addMessage: (message) => keep(messages, message),
    addRefusal: (refusal) => keep(refusals, refusal),
    clear: () => {
      before = { messages: messages.splice(0), refusals: refusals.splice(0) };
    },
    remove: (matches) => {
      if (!messages.some(matches) && !refusals.some(matches)) return false;
      before = { messages: removeFrom(messages, matches), refusals: removeFrom(refusals, matches) };
      return true;
    },
    undo: () => {
      if (before === undefined) return false;
      restore(messages, before.messages);
      restore(refusals, before.refusals);
      before = undefined;
      return true;
    },
    forget: () => {
      before = undefined;
    },
  };
}

function keep<T>(entries: T[], entry: T): void {
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
