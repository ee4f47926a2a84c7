import type { Outcome } from "../message/outcome.ts";
import { type Entry, type HistoryKeeper, nothingUnread, type OnShare, type Unread } from "../record/history.ts";

interface HistoryQuery {
  readonly since: number;
  readonly to?: string;
  /** The first name of a profile. */
  readonly profile?: string;
  /** All if it is undefined. */
  readonly outcomes?: readonly Outcome["kind"][];
  readonly limit: number;
}

export interface HistoryList {
  /** The latest first, and of the same time the last recorded. */
  readonly entries: AsyncIterable<Entry>;
  /** What is known of the rest once the entries are read. */
  readonly rest: { readonly unread: Unread; count: number; hasMore: boolean };
}

/** Reads the latest entries of a history that are asked for, and no more of the history than that takes. */
export function latestEntries(
  history: Pick<HistoryKeeper, "newest"> | undefined,
  { since, to, profile, outcomes, limit }: HistoryQuery,
  onShare: OnShare = () => {},
): HistoryList {
  const rest = { unread: nothingUnread(), count: 0, hasMore: false };
  const isAsked = (entry: Entry) =>
    (to === undefined || entry.to === to) &&
    (profile === undefined || entry.profile === profile) &&
    outcomes?.includes(entry.outcome) !== false;
  async function* read() {
    for await (const entries of history?.newest(since, { unread: rest.unread, onShare }) ?? []) {
      for (const entry of entries) {
        if (!isAsked(entry)) continue;
        if (rest.count === limit) return void (rest.hasMore = true);
        rest.count++;
        yield entry;
      }
    }
  }
  return { entries: read(), rest };
}
