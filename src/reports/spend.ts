import { rounded } from "../message/outcome.ts";
import { type Entry, type HistoryKeeper, nothingUnread, type OnShare, type Unread } from "../record/history.ts";

export const divisions = ["day", "key", "profile", "run", "sender"] as const;

export type Division = (typeof divisions)[number];

/** The time that a spend covers, in milliseconds since 1970: `from` included, `to` excluded. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

/** Messages that were accepted and charged, and what is uncertain. */
interface Sum {
  messages: number;
  segments: number;
  /** By the receipts, else by our own count. */
  credits: number;
  kes: number;
  readonly uncertain: { messages: number; credits: number };
}

export interface Spend extends Sum {
  readonly period: Period;
  /** Accepted with a test key, which is not charged. */
  readonly testMessages: number;
  /** Accepted by a sandbox, where nobody pays. */
  readonly sandboxMessages: number;
  /** By name: days in their order, others from the highest. */
  readonly by: readonly (Sum & { readonly name: string })[];
  readonly unread: Unread;
}

/** What is summed. */
export interface SpendQuery {
  readonly period: Period;
  readonly division: Division;
  /** The first name of the only profile that counts; undefined for all. */
  readonly profile: string | undefined;
  readonly currentName: (first: string) => string;
}

/** Sums the history of a period, without what went to a sandbox. */
export async function readSpend(
  history: HistoryKeeper,
  { period, division, profile, currentName }: SpendQuery,
  onShare: OnShare,
): Promise<Spend> {
  const total = newSum();
  const groups = new Map<string, Sum>();
  const free = { test: 0, sandbox: 0 };
  const add = (entry: Entry) => {
    const { mode, outcome } = entry;
    if (outcome !== "accepted" && outcome !== "uncertain") return;
    if (profile !== undefined && entry.profile !== profile) return;
    const at = Date.parse(entry.at);
    if (at < period.from || at >= period.to) return;
    if (mode === "test" || mode === "sandbox") {
      if (outcome === "accepted") free[mode]++;
      return;
    }
    const name = nameIn(division, entry, entry.profile && currentName(entry.profile));
    const group = groups.get(name) ?? newSum();
    groups.set(name, group);
    for (const sum of [total, group]) addTo(sum, entry);
  };
  const unread = nothingUnread();
  for await (const entries of history.newest(period.from, { unread, onShare })) for (const entry of entries) add(entry);
  const by = [...groups].map(([name, sum]) => ({ name, ...withoutNoise(sum) }));
  by.sort((a, b) => (division === "day" ? 0 : b.credits - a.credits) || (a.name < b.name ? -1 : 1));
  return { ...withoutNoise(total), period, testMessages: free.test, sandboxMessages: free.sandbox, by, unread };
}

function newSum(): Sum {
  return { messages: 0, segments: 0, credits: 0, kes: 0, uncertain: { messages: 0, credits: 0 } };
}

function addTo(sum: Sum, { outcome, segments, totalCredits, totalCostKes }: Entry): void {
  if (outcome === "uncertain") {
    sum.uncertain.messages++;
    sum.uncertain.credits += segments;
    return;
  }
  sum.messages++;
  sum.segments += segments;
  sum.credits += totalCredits ?? segments;
  sum.kes += totalCostKes ?? 0;
}

function withoutNoise(sum: Sum): Sum {
  return { ...sum, credits: rounded(sum.credits), kes: rounded(sum.kes) };
}

function nameIn(division: Division, { at, key, run, sender }: Entry, profile: string | null): string {
  switch (division) {
    case "day":
      return at.slice(0, 10);
    case "key":
      if (key === null) return "key not recorded";
      // Keys of many profiles are called `live`.
      return profile === null ? key : `${profile}/${key}`;
    case "profile":
      return profile ?? "no profile";
    case "run":
      return run ?? "single messages";
    case "sender":
      return sender ?? "default sender";
  }
}
