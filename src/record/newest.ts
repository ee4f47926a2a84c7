import { isNumber, isText, isTextOrNull, oneOf, optional, parseJson, shape } from "../json.ts";
import { type HistoryEntry, intentMembers, type Unread } from "./history.ts";
import type { Actor } from "./runs.ts";

export interface EntrySource {
  /** No entry of the source is newer. */
  readonly upTo: number;
  readonly read: () => AsyncIterable<readonly HistoryEntry[]>;
}

/** Several processes append to one file, and an outcome follows its intent within the time of one message. */
const slackMs = 60 * 60 * 1000;

interface OpenSource {
  readonly iterator: AsyncIterator<readonly HistoryEntry[]>;
  /** Nothing newer comes from the source any more. */
  horizon: number;
}

/** This reads no further back than necessary. */
export async function* newestFirst(
  sources: readonly EntrySource[],
  since: number,
): AsyncGenerator<readonly HistoryEntry[], void> {
  const remaining = sources.toSorted((a, b) => a.upTo - b.upTo);
  const current = new Set<OpenSource>();
  const window = new EntryWindow();
  for (;;) {
    const horizon = Math.max(remaining.at(-1)?.upTo ?? -Infinity, ...[...current].map((source) => source.horizon));
    const isEnd = horizon + slackMs < since || horizon === -Infinity;
    const ready = window.take(Math.max(horizon + slackMs, since - 1), isEnd);
    if (ready.length > 0) yield ready;
    if (isEnd) return;
    const next = remaining.at(-1);
    if (next?.upTo === horizon) {
      remaining.pop();
      current.add({ iterator: next.read()[Symbol.asyncIterator](), horizon });
      continue;
    }
    for (const source of current) {
      if (source.horizon !== horizon) continue;
      const page = await source.iterator.next();
      if (page.done) current.delete(source);
      else source.horizon = Math.min(source.horizon, window.add(page.value));
      break;
    }
  }
}

/** The window has the entries that later reading may still reorder. */
class EntryWindow {
  #sorted: HistoryEntry[] = [];
  #added: HistoryEntry[] = [];
  #newest = "";
  readonly #ids = new Map<string, { entries: number; isOpen: boolean }>();

  /** The result is the time of the newest entry. */
  add(entries: readonly HistoryEntry[]): number {
    let newest = "";
    for (const entry of entries) {
      this.#added.push(entry);
      if (entry.at > newest) newest = entry.at;
      const id = entry.intent ?? entry.settles;
      if (id === undefined) continue;
      const { entries: count, isOpen } = this.#ids.get(id) ?? { entries: 0, isOpen: false };
      this.#ids.set(id, { entries: count + 1, isOpen: !isOpen });
    }
    if (newest > this.#newest) this.#newest = newest;
    return entries.length === 0 ? Infinity : Date.parse(newest);
  }

  /** The newest entry comes first, and of the same time the last recorded. */
  take(time: number, isEnd: boolean): readonly HistoryEntry[] {
    const limit = time === Infinity ? "~" : time < 0 ? "" : new Date(time).toISOString();
    // Sorting more often costs more than keeping a few entries longer.
    const isDue = isEnd || this.#added.length >= this.#sorted.length / 2;
    if (this.#newest <= limit || !isDue) return [];
    const all = [...this.#sorted, ...this.#added].sort((a, b) => (a.at === b.at ? 0 : a.at < b.at ? 1 : -1));
    const end = all.findIndex(({ at }) => at <= limit);
    this.#sorted = end < 0 ? [] : all.splice(end);
    this.#added = [];
    this.#newest = this.#sorted[0]?.at ?? "";
    return all.filter((entry) => this.#isShown(entry));
  }

  /** An outcome has the place of its intent; an intent that nothing settles was cut off by a kill. */
  #isShown({ intent, settles }: HistoryEntry): boolean {
    const id = intent ?? settles;
    const group = id === undefined ? undefined : this.#ids.get(id);
    if (id === undefined || group === undefined) return true;
    group.entries--;
    if (group.entries === 0) this.#ids.delete(id);
    if (intent === undefined) return true;
    const { isOpen } = group;
    group.isOpen = false;
    return isOpen;
  }
}

const isEntry: (value: unknown) => value is HistoryEntry = shape<
  Omit<HistoryEntry, keyof Actor | "reason" | "details">
>({
  at: isText,
  kind: oneOf("send", "run", "watch"),
  run: isTextOrNull,
  account: isTextOrNull,
  key: isTextOrNull,
  profile: isTextOrNull,
  mode: isText,
  to: isText,
  sender: isTextOrNull,
  outcome: oneOf("accepted", "rejected", "unsent", "uncertain"),
  messageId: optional(isText),
  segments: isNumber,
  totalCredits: optional(isNumber),
  totalCostKes: optional(isNumber),
  newBalance: optional(isNumber),
  httpStatus: optional(isNumber),
  errorCode: optional(isText),
  intent: optional(isText),
  settles: optional(isText),
});

export function readEntries(lines: readonly string[], unread: Unread): readonly HistoryEntry[] {
  const entries = lines.flatMap((line) => readEntry(line) ?? []);
  unread.broken += lines.length - entries.length;
  return entries;
}

/** A line has the names of its members or leaves them out. If the line is no entry, this is undefined. */
export function readEntry(line: string): HistoryEntry | undefined {
  const value = parseJson(line);
  if (!Array.isArray(value)) return isEntry(value) ? value : undefined;
  if (value.length !== intentMembers.length) return undefined;
  const members = Object.fromEntries(intentMembers.map((name, at) => [name, value[at]]));
  const entry = { ...members, run: null, outcome: "uncertain" };
  return isEntry(entry) ? entry : undefined;
}
