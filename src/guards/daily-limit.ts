import type { Hold } from "../recipients/hold.ts";
import { countText, plural } from "../words/count.ts";
import { rounded } from "../message/outcome.ts";
import type { SpendingKeeper, SpentDay } from "../record/spending.ts";
import type { Guard, Reservations } from "./guard.ts";
import { endOfDate, localDate, localText, type Zone } from "./hours.ts";

export interface DailyTerms {
  readonly credits: number;
  readonly source: string;
  readonly zone: Zone;
  readonly raise: (credits: number) => string;
}

interface LimitedAccount {
  readonly keeper: SpendingKeeper;
  readonly account: string;
  /** Somebody may change the limit while messages are sent. */
  readonly terms: () => DailyTerms;
  readonly now: () => number;
}

interface LimitedDay extends SpentDay, Pick<DailyTerms, "source" | "raise"> {
  readonly limit: number;
  readonly left: number;
  readonly endsAt: number;
  readonly end: string;
  readonly rule: string;
}

/** If no day has room for its longest message, the limit holds a plan back. */
export interface DailyLimit extends Guard {
  readonly today: () => Promise<LimitedDay>;
}

export function dailyLimit(limited: LimitedAccount): DailyLimit {
  const today = async () => {
    const terms = limited.terms();
    const date = localDate(terms.zone, limited.now());
    return limitedBy(terms, dayOn(date, await limited.keeper.latest(limited.account)));
  };
  return {
    today,
    rule: async () => (await today()).rule,
    holdPlan: async ({ first, longest }) => {
      const day = await today();
      if (costOf(longest, day) > day.limit) return holdOn(day, longest);
      return costOf(first, day) > day.left ? holdOn(day, first) : undefined;
    },
    warning: async () => {
      // If the day cannot be read, the message is still accepted.
      const day = await today().catch(() => undefined);
      if (day === undefined || day.spent <= day.limit) return undefined;
      const spent = plural(day.spent, "credit");
      return `receipts were above their estimates: ${spent} of ${countText(day.limit)} are spent today`;
    },
    fitting: async (order) => {
      const day = await today();
      let remaining = day.left;
      let fit = 0;
      for (const { segments, messages } of order) {
        const cost = costOf(segments, day);
        const count = Math.min(messages, Math.floor(rounded(remaining / cost)));
        fit += count;
        remaining = rounded(remaining - count * cost);
        if (count < messages) break;
      }
      return fit;
    },
    reservations: () => reservationsOf(limited),
  };
}

export function dayAt(terms: DailyTerms, now: number) {
  const date = localDate(terms.zone, now);
  const endsAt = endOfDate(terms.zone, date);
  const rule = `${limitText(terms)}: it ends at ${localText(terms.zone, endsAt)} in ${terms.zone.name}`;
  return { date, limit: terms.credits, spent: null, reserved: null, left: null, endsAt, rule } as const;
}

export interface Reservation {
  readonly today: string;
  readonly limit: number;
  readonly segments: readonly number[];
  readonly share: Share;
}

/** One process manages these credits of the day. */
interface Share extends Pick<SpentDay, "date" | "creditsPerSegment"> {
  /** On record as reserved, and no message has taken them yet. */
  readonly ahead: number;
  /** These two are not on record yet. */
  readonly released: number;
  readonly charged: number;
}

/** Setting the clock or the zone back frees no credits: a later day on record applies. */
export function dayOn(today: string, latest: SpentDay | undefined): SpentDay {
  if (latest !== undefined && latest.date >= today) return latest;
  return { date: today, spent: 0, reserved: 0, creditsPerSegment: latest?.creditsPerSegment ?? 1 };
}

/** The credits of a share count on their day only. `more` and `ahead` together cover the messages that are granted. */
export function reserveOn(latest: SpentDay | undefined, { today, limit, segments, share }: Reservation) {
  const { date, ...day } = dayOn(today, latest);
  const { ahead, released, charged } = share.date === date ? share : nothing;
  const creditsPerSegment = Math.max(day.creditsPerSegment, share.creditsPerSegment);
  const spent = rounded(day.spent + charged);
  const reserved = Math.max(0, rounded(day.reserved - released));
  const room = Math.max(0, rounded(limit - spent - reserved));
  let [granted, cost, more] = [0, 0, 0];
  for (const count of segments) {
    cost = rounded(cost + count * creditsPerSegment);
    const lacking = Math.max(0, rounded(cost - ahead));
    if (lacking > room) break;
    more = lacking;
    granted++;
  }
  return { day: { date, spent, reserved: rounded(reserved + more), creditsPerSegment }, granted, more };
}

const nothing = { ahead: 0, released: 0, charged: 0 } as const;

function reservationsOf({ keeper, account, terms: readTerms, now }: LimitedAccount): Reservations {
  let share: Share = { date: "", creditsPerSegment: 1, ...nothing };
  let endsAt = Infinity;
  const change = (today: string, limit: number, segments: readonly number[]) => {
    const reservation = { today, limit, segments, share };
    // If this fails, these credits stay reserved: a second try could release them twice.
    share = { ...share, released: 0, charged: 0 };
    return keeper.change(account, (latest) => reserveOn(latest, reservation));
  };
  const add = ({ ahead = 0, released = 0, charged = 0 }: Partial<Share>) => {
    share = {
      ...share,
      ahead: rounded(share.ahead + ahead),
      released: rounded(share.released + released),
      charged: rounded(share.charged + charged),
    };
  };
  /** A run ends once all that it gave back is on record. */
  let givingBack: Promise<void> = Promise.resolve();
  const isCurrent = () => now() < endsAt;
  return {
    isCurrent,
    covers: (segments) => {
      const sum = segments.reduce((before, count) => before + count, 0);
      return sum === 0 || (isCurrent() && costOf(sum, share) <= share.ahead);
    },
    reserve: async (segments) => {
      const terms = readTerms();
      const { granted, more, day } = await change(localDate(terms.zone, now()), terms.credits, segments);
      if (share.date !== day.date) share = { ...share, ...nothing, date: day.date };
      add({ ahead: more });
      share = { ...share, creditsPerSegment: Math.max(share.creditsPerSegment, day.creditsPerSegment) };
      endsAt = endOfDate(terms.zone, day.date);
      const next = segments[granted];
      return { granted, refusal: next === undefined ? undefined : holdOn(limitedBy(terms, day), next) };
    },
    take: (segments) => {
      const credits = costOf(segments, share);
      if (!isCurrent() || credits > share.ahead) return undefined;
      add({ ahead: -credits });
      return { date: share.date, segments, credits };
    },
    settle: ({ date, segments, credits }, outcome) => {
      if (outcome?.kind === "uncertain") return;
      const charged = outcome?.kind === "accepted" ? (outcome.receipt.totalCredits ?? credits) : 0;
      // The price is rounded up, so that its sums are exact.
      const creditsPerSegment = Math.ceil((charged / segments) * 10_000) / 10_000;
      share = { ...share, creditsPerSegment: Math.max(share.creditsPerSegment, creditsPerSegment) };
      if (date === share.date) add({ released: credits, charged });
    },
    giveBack: () => {
      const giveBack = async () => {
        add({ released: share.ahead, ahead: -share.ahead });
        if (share.released > 0) await change(share.date, 0, []).catch(() => {});
      };
      return (givingBack = givingBack.then(giveBack));
    },
  };
}

function limitedBy(terms: DailyTerms, day: SpentDay): LimitedDay {
  const { credits: limit, source, zone, raise } = terms;
  const remaining = Math.max(0, rounded(limit - day.spent - day.reserved));
  const endsAt = endOfDate(zone, day.date);
  const end = `${localText(zone, endsAt)} in ${zone.name}`;
  const rule = `${limitText(terms)}: ${countText(remaining)} left until ${end}`;
  return { ...day, source, raise, limit, left: remaining, endsAt, end, rule };
}

function costOf(segments: number, { creditsPerSegment }: Pick<SpentDay, "creditsPerSegment">): number {
  return rounded(segments * creditsPerSegment);
}

function holdOn(day: LimitedDay, segments: number): Hold {
  const cost = costOf(segments, day);
  const [why, hint] =
    cost > day.limit
      ? [
          `, and a message may cost ${countText(cost)}: no day has room for it`,
          `raise the limit with ${day.raise(Math.ceil(cost))}`,
        ]
      : [
          `: ${countText(day.spent)} spent and ${countText(day.reserved)} reserved, so ${countText(day.left)} left, ` +
            `and the next message may cost ${countText(cost)}`,
          `the day ends at ${day.end}`,
        ];
  const reason = `the daily limit is ${plural(day.limit, "credit")} (${day.source})${why}`;
  return { guard: "dailyCredits", effect: "stop", reason, errorCode: "DAILY_LIMIT", hint };
}

function limitText({ credits, source }: DailyTerms): string {
  return `${plural(credits, "credit")} a day (${source})`;
}
