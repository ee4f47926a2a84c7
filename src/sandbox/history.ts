/** How a request authenticates. A test key is never charged. */
export type Mode = "test" | "live" | "account";

export interface SandboxMessage {
  readonly messageId: string;
  readonly to: string;
  readonly senderId: string;
  readonly message: string;
  readonly encoding: "GSM-7" | "UCS-2";
  readonly parts: readonly string[];
  readonly segments: number;
  /** Its price; test keys are not charged. */
  readonly totalCredits: number;
  readonly totalCostKes: number;
  readonly mode: Mode;
  /** The key for display; absent for account credentials. */
  readonly key?: string;
  readonly at: string;
  /** Why the answer was broken on purpose: a number ending such as `000598`, or a fault such as `reset-after`. */
  readonly fault?: string;
}

/** A refused send; fields that could not be read are absent. */
export interface SandboxRefusal {
  readonly at: string;
  readonly to: string;
  readonly senderId?: string;
  readonly message?: string;
  readonly mode?: Mode;
  /** The key for display, if it is one of the account. */
  readonly key?: string;
  readonly reason: string;
  /** The HTTP status; 0 if the connection was cut without an answer. */
  readonly status: number;
  readonly errorCode?: string;
  /** Why it was refused on purpose: a number ending such as `000500`, or a fault such as `500`. */
  readonly fault?: string;
  readonly requestId: number;
}

export type Entry = Readonly<{ message: SandboxMessage } | { refusal: SandboxRefusal }>;

export interface HistoryPage {
  readonly entries: readonly Entry[];
  /** The place that earlier entries come before, if there are any. */
  readonly earlier?: number;
}

/** Entries in memory; older ones are dropped, so that a sandbox can run for months. */
const maxKept = 100_000;

const maxPageEntries = 500;

/** Characters of JSON in a page, so that a reader that does not read holds little. */
const maxPageLength = 256 * 1024;

/** Opens a history, whose list of entries is always the same. */
export function openSandboxHistory() {
  const entries: Entry[] = [];
  let count = 0;
  let before: readonly Entry[] | undefined;
  /** Keeps what there is for the undo; what an undo of earlier deletions would bring back too, if the new one joins them. */
  const keep = (joins: boolean) => {
    const known = new Set(joins ? before : []);
    before = [...known, ...entries.filter((one) => !known.has(one))].slice(-maxKept);
  };
  const replace = (next: readonly Entry[]) => {
    entries.length = 0;
    for (const one of next.slice(-maxKept)) entries.push(one);
  };
  return {
    entries,
    add: (added: Entry): void => {
      entries.push(added);
      if (entries.length > maxKept) entries.shift();
      count++;
    },
    clear: (joins: boolean): void => {
      keep(joins);
      replace([]);
    },
    remove: (matches: (one: SandboxMessage | SandboxRefusal) => boolean, joins: boolean): boolean => {
      const rest = entries.filter((one) => !matches("message" in one ? one.message : one.refusal));
      if (rest.length === entries.length) return false;
      keep(joins);
      replace(rest);
      return true;
    },
    /** Brings back what the last deletions took that were joined, before what came since; returns whether there was anything. */
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
