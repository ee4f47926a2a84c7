import { isLive } from "../service/credentials.ts";
import { rounded } from "../message/outcome.ts";
import { addTo, noAmounts } from "../record/cost.ts";
import {
  type Amounts,
  type Cost,
  type HistoryKeeper,
  nothingUnread,
  type OnShare,
  type Unread,
} from "../record/history.ts";

export const divisions = ["day", "key", "profile", "run", "sender"] as const;

export type Division = (typeof divisions)[number];

/** Whole days in UTC, in milliseconds since 1970: `from` included, `to` excluded. */
export interface Period {
  readonly from: number;
  readonly to: number;
}

export interface Spend extends Amounts {
  readonly period: Period;
  /** These were accepted with a test key, which is not charged. */
  readonly testMessages: number;
  /** A sandbox accepted these, and nobody pays. */
  readonly sandboxMessages: number;
  /** Over all time, a sandbox has taken messages. */
  readonly isSandboxUsed: boolean;
  /** Over all time, somebody has paid for messages. */
  readonly isAnyPaid: boolean;
  /** Days come in their order, other names from the highest cost. */
  readonly by: readonly (Amounts & { readonly name: string })[];
  readonly unread: Unread;
}

export interface SpendQuery {
  readonly period: Period;
  readonly division: Division;
  /** Only messages of the profile with this first name count. */
  readonly profile?: string;
  readonly currentName: (first: string) => string;
  /** Only what a sandbox took counts, as if somebody paid for it. */
  readonly isSandbox?: boolean;
}

export async function readSpend(
  history: Pick<HistoryKeeper, "costs">,
  { period, division, profile, currentName, isSandbox = false }: SpendQuery,
  onShare: OnShare,
): Promise<Spend> {
  const total = noAmounts();
  const groups = new Map<string, Amounts>();
  const free = { test: 0, sandbox: 0 };
  let [isSandboxUsed, isAnyPaid] = [false, false];
  const add = (cost: Cost) => {
    const { mode } = cost;
    if (profile !== undefined && cost.profile !== profile) return;
    isSandboxUsed ||= mode === "sandbox";
    isAnyPaid ||= isLive(mode);
    const at = Date.parse(cost.day);
    if (at < period.from || at >= period.to) return;
    if (mode === "test" || mode === "sandbox") free[mode] += cost.messages;
    if (mode === "test" || (mode === "sandbox") !== isSandbox) return;
    const name = nameIn(division, cost, cost.profile && currentName(cost.profile));
    const group = groups.get(name) ?? noAmounts();
    groups.set(name, group);
    for (const amounts of [total, group]) addTo(amounts, cost);
  };
  const unread = nothingUnread();
  for await (const costs of history.costs(period.from, { unread, onShare })) costs.forEach(add);
  const by = [...groups].map(([name, sum]) => ({ name, ...withoutNoise(sum) }));
  by.sort((a, b) => (division === "day" ? 0 : b.credits - a.credits) || (a.name < b.name ? -1 : 1));
  const counts = { testMessages: free.test, sandboxMessages: free.sandbox };
  return { ...withoutNoise(total), ...counts, period, isSandboxUsed, isAnyPaid, by, unread };
}

function withoutNoise(sum: Amounts): Amounts {
  return { ...sum, credits: rounded(sum.credits), kes: rounded(sum.kes) };
}

function nameIn(division: Division, { day, key, run, sender }: Cost, profile: string | null): string {
  switch (division) {
    case "day":
      return day;
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
