import * as v from "valibot";

/** How a request authenticates. A test key is never charged. */
export type Mode = v.InferOutput<typeof mode>;

const mode = v.picklist(["test", "live", "account"]);
const optionalText = v.exactOptional(v.string());

export type SandboxMessage = v.InferOutput<typeof acceptedMessage>;

const acceptedMessage = v.pipe(
  v.object({
    messageId: v.string(),
    to: v.string(),
    senderId: v.string(),
    message: v.string(),
    encoding: v.picklist(["GSM-7", "UCS-2"]),
    parts: v.pipe(v.array(v.string()), v.readonly()),
    segments: v.number(),
    /** Its price; test keys are not charged. */
    totalCredits: v.number(),
    totalCostKes: v.number(),
    mode,
    /** The key for display; absent for account credentials. */
    key: optionalText,
    at: v.string(),
    /** Why the answer was broken on purpose: a number ending such as `000598`, or a fault such as `reset-after`. */
    fault: optionalText,
  }),
  v.readonly(),
);

/** A refused send; fields that could not be read are absent. */
export type SandboxRefusal = v.InferOutput<typeof refusedSend>;

const refusedSend = v.pipe(
  v.object({
    at: v.string(),
    to: v.string(),
    senderId: optionalText,
    message: optionalText,
    mode: v.exactOptional(mode),
    /** The key for display, if it is one of the account. */
    key: optionalText,
    reason: optionalText,
    /** The HTTP status; 0 if the connection was cut without an answer. */
    status: v.number(),
    errorCode: optionalText,
    /** Why it was refused on purpose: a number ending such as `000500`, or a fault such as `500`. */
    fault: optionalText,
    /** The id of its request; absent after a restart, as requests are not kept. */
    requestId: v.exactOptional(v.number()),
  }),
  v.readonly(),
);

export type Entry = v.InferOutput<typeof entry>;

export const entry = v.union([
  v.pipe(v.object({ message: acceptedMessage }), v.readonly()),
  v.pipe(v.object({ refusal: refusedSend }), v.readonly()),
]);

export interface HistoryPage {
  readonly entries: readonly Entry[];
  /** The place that earlier entries come before, if there are any. */
  readonly earlier?: number;
}

/** What was kept of an earlier history, and what keeps this one. `now` is the history after the change. */
export interface Kept {
  readonly entries: readonly Entry[];
  readonly append: (added: Entry, now: readonly Entry[]) => void;
  readonly replace: (now: readonly Entry[]) => void;
}

/** Entries in memory; older ones are dropped, so that a sandbox can run for months. */
const maxKept = 100_000;

const maxPageEntries = 500;

/** Characters of JSON in a page, so that a reader that does not read holds little. */
const maxPageLength = 256 * 1024;

/** Opens a history with the latest of what is kept. Its list of entries is always the same. */
export function openHistory(kept?: Kept) {
  const entries = kept?.entries.slice(-maxKept) ?? [];
  let count = entries.length;
  let before: readonly Entry[] | undefined;
  const replace = (next: readonly Entry[]) => {
    entries.length = 0;
    for (const one of next.slice(-maxKept)) entries.push(one);
    kept?.replace(entries);
  };
  return {
    entries,
    add: (added: Entry): void => {
      entries.push(added);
      if (entries.length > maxKept) entries.shift();
      count++;
      kept?.append(added, entries);
    },
    clear: (): void => {
      before = [...entries];
      replace([]);
    },
    remove: (matches: (one: SandboxMessage | SandboxRefusal) => boolean): boolean => {
      const rest = entries.filter((one) => !matches("message" in one ? one.message : one.refusal));
      if (rest.length === entries.length) return false;
      before = [...entries];
      replace(rest);
      return true;
    },
    /** Brings back what was deleted last, before what came since; returns whether there was anything. */
    undo: (): boolean => {
      if (before === undefined) return false;
      const known = new Set(before);
      replace([...before, ...entries.filter((one) => !known.has(one))]);
      before = undefined;
      return true;
    },
    endUndo: (): void => {
      before = undefined;
    },
    /** The page before that place, else the latest: at most 500 entries and 256 Ki characters, and one entry if any. */
    page: (place = count): HistoryPage => {
      const dropped = count - entries.length;
      const end = Math.max(0, Math.min(place, count) - dropped);
      let first = end;
      for (let length = 0; first > 0 && end - first < maxPageEntries; first--) {
        length += JSON.stringify(entries[first - 1]).length;
        if (first < end && length > maxPageLength) break;
      }
      return { entries: entries.slice(first, end), ...(first > 0 && { earlier: first + dropped }) };
    },
  };
}
