import type { Hold } from "../recipients/hold.ts";
import { countText, plural } from "../words/count.ts";
import { rounded } from "../message/outcome.ts";
import type { Settled, SpendingKeeper, SpentDay } from "../record/spending.ts";
import type { Guard, Reservations } from "./guard.ts";
import { endOfDate, localDate, localText, type Zone } from "./hours.ts";

export interface DailyTerms {
  readonly credits: number;
  readonly source: string;
  readonly zone: Zone;
  readonly raise: (credits: number) => string;
}

export interface LimitedAccount {
  readonly keeper: SpendingKeeper;
  readonly account: string;
  /** Somebody may change the limit while messages are sent. */
  readonly terms: () => DailyTerms;
  readonly now: () => number;
}

interface LimitedDay extends SpentDay {
  readonly limit: number;
  readonly left: number;
  readonly endsAt: number;
  readonly rule: string;
}

/** If no day has room for its longest message, the limit holds a plan back. */
export interface DailyLimit extends Guard {
  readonly today: () => Promise<LimitedDay>;
}

export function dailyLimit(limited: LimitedAccount): DailyLimit {
  const { keeper, account, now } = limited;
  const read = async () => {
    const terms = limited.terms();
    const day = limitedBy(terms, await keeper.day(account, localDate(terms.zone, now())));
    return { terms, day };
  };
  return {
    today: async () => (await read()).day,
    rule: async () => (await read()).day.rule,
    holdPlan: async ({ first, longest }) => {
      const { terms, day } = await read();
      if (costOf(longest, day) > day.limit) return holdOn(day, longest, terms);
      return costOf(first, day) > day.left ? holdOn(day, first, terms) : undefined;
    },
    warning: async () => {
      // If the day cannot be read, the message is still accepted.
      const { day } = await read().catch(() => ({ day: undefined }));
      if (day === undefined || day.spent <= day.limit) return undefined;
      const spent = plural(day.spent, "credit");
      return `receipts were above their estimates: ${spent} of ${countText(day.limit)} are spent today`;
    },
    fitting: async (order) => {
      const { day } = await read();
      let { left } = day;
      let fit = 0;
      for (const { segments, messages } of order) {
        const cost = costOf(segments, day);
        const count = Math.min(messages, Math.floor(rounded(left / cost)));
        fit += count;
        left = rounded(left - count * cost);
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
  const rule = `${limitText(terms)}: it ends at ${endText(terms, endsAt)}`;
  return { date, limit: terms.credits, spent: null, reserved: null, left: null, endsAt, rule } as const;
}

function reservationsOf({ keeper, account, terms: readTerms, now }: LimitedAccount): Reservations {
  /** Reservations of messages that have no outcome yet, by index. */
  const open = new Map<number, { readonly date: string; readonly segments: number; readonly credits: number }>();
  let settled = nothingOn("");
  let creditsPerSegment = 1;
  let endsAt = Infinity;
  const reserve = (today: string, limit: number, segments: readonly number[]) => {
    const change = { today, limit, segments, settled, creditsPerSegment };
    // If this fails, these credits stay reserved: a second try could release them twice.
    settled = nothingOn(settled.date);
    return keeper.reserve(account, change);
  };
  return {
    isCurrent: () => now() < endsAt,
    renew: () => {
      if (now() >= endsAt) endsAt = Infinity;
    },
    reserve: async (messages) => {
      const terms = readTerms();
      const counts = messages.map(({ segments }) => segments);
      const { granted, ...day } = await reserve(localDate(terms.zone, now()), terms.credits, counts);
      endsAt = endOfDate(terms.zone, day.date);
      for (const { index, segments } of messages.slice(0, granted)) {
        open.set(index, { date: day.date, segments, credits: costOf(segments, day) });
      }
      const next = messages[granted];
      return { granted, refusal: next && holdOn(limitedBy(terms, day), next.segments, terms) };
    },
    settle: (index, outcome) => {
      const reservation = open.get(index);
      open.delete(index);
      if (reservation === undefined || outcome?.kind === "uncertain") return;
      const { date, segments, credits } = reservation;
      const charged = outcome?.kind === "accepted" ? (outcome.receipt.totalCredits ?? credits) : 0;
      // The price is rounded up, so that its sums are exact.
      creditsPerSegment = Math.max(creditsPerSegment, Math.ceil((charged / segments) * 10_000) / 10_000);
      if (date > settled.date) settled = nothingOn(date);
      if (date < settled.date) return;
      settled = { date, released: rounded(settled.released + credits), charged: rounded(settled.charged + charged) };
    },
    close: async () => {
      if (settled.released > 0) await reserve(settled.date, 0, []).catch(() => {});
    },
  };
}

function nothingOn(date: string): Settled {
  return { date, released: 0, charged: 0 };
}

function limitedBy(terms: DailyTerms, day: SpentDay): LimitedDay {
  const { credits } = terms;
  const left = Math.max(0, rounded(credits - day.spent - day.reserved));
  const endsAt = endOfDate(terms.zone, day.date);
  const rule = `${limitText(terms)}: ${amountText(left)} left until ${endText(terms, endsAt)}`;
  return { ...day, limit: credits, left, endsAt, rule };
}

function costOf(segments: number, { creditsPerSegment }: SpentDay): number {
  return rounded(segments * creditsPerSegment);
}

function holdOn(day: LimitedDay, segments: number, terms: DailyTerms): Hold {
  const cost = costOf(segments, day);
  const [why, hint] =
    cost > day.limit
      ? [
          `, and a message may cost ${amountText(cost)}: no day has room for it`,
          `raise the limit with ${terms.raise(Math.ceil(cost))}`,
        ]
      : [
          `: ${amountText(day.spent)} spent and ${amountText(day.reserved)} reserved, so ${amountText(day.left)} left, ` +
            `and the next message may cost ${amountText(cost)}`,
          `the day ends at ${endText(terms, day.endsAt)}`,
        ];
  const reason = `the daily limit is ${plural(day.limit, "credit")} (${terms.source})${why}`;
  return { guard: "dailyCredits", effect: "stop", reason, errorCode: "DAILY_LIMIT", hint };
}

function limitText({ credits, source }: DailyTerms): string {
  return `${plural(credits, "credit")} a day (${source})`;
}

function endText({ zone }: DailyTerms, endsAt: number): string {
  return `${localText(zone, endsAt)} in ${zone.name}`;
}

function amountText(credits: number): string {
  return countText(rounded(credits));
}
