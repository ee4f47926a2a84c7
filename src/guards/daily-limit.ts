import type { Hold } from "../recipients/hold.ts";
import { countText, plural } from "../words/count.ts";
import { SmsError } from "../errors.ts";
import { rounded } from "../message/outcome.ts";
import type { SpendingKeeper, SpentDay } from "../record/spending.ts";
import type { Admission, Guard, MessageCredits, Reservation, Reservations } from "./guard.ts";
import { endOfDate, localDate, localText, type Zone } from "./hours.ts";

export interface DailySetting {
  readonly credits: number;
  readonly source: string;
  readonly zone: Zone;
  readonly raise: (credits: number) => string;
}

interface LimitedAccount {
  readonly keeper: SpendingKeeper;
  readonly account: string;
  /** Somebody may change the limit while messages are sent. */
  readonly setting: () => DailySetting;
}

interface LimitedDay extends SpentDay, Pick<DailySetting, "source" | "raise"> {
  readonly limit: number;
  readonly left: number;
  readonly end: string;
  readonly rule: string;
}

/** If no day has room for its longest message, the limit holds a plan back. */
export interface DailyLimit extends Guard {
  readonly today: () => Promise<LimitedDay>;
}

export function dailyLimit(limited: LimitedAccount): DailyLimit {
  const today = async () => {
    const setting = limited.setting();
    const { keeper, account } = limited;
    const latest = await keeper.latest(account);
    return limitedBy(setting, dayOn(setting.zone, keeper.now(), latest));
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

export function dayAt(setting: DailySetting, now: number) {
  const endsAt = endOfToday(setting.zone, now);
  const rule = `${limitText(setting)}: it ends at ${localText(setting.zone, endsAt)} in ${setting.zone.name}`;
  return { limit: setting.credits, spent: null, reserved: null, left: null, endsAt, rule } as const;
}

/** When clocks go back, a day has 25 hours. */
const longestDayMs = 25 * 3_600_000;

/** A day goes on until the end that its first reservation named, for everyone in any zone. */
export function dayOn(zone: Zone, now: number, latest: SpentDay | undefined): SpentDay {
  const isOver = latest === undefined || latest.endsAt <= now;
  if (!isOver && latest.endsAt - now <= longestDayMs) return latest;
  const endsAt = endOfToday(zone, now);
  if (isOver) return { endsAt, spent: 0, reserved: 0, creditsPerSegment: latest?.creditsPerSegment ?? 1 };
  // Only a clock that was wrong names a later end.
  return { ...latest, endsAt };
}

function endOfToday(zone: Zone, now: number): number {
  return endOfDate(zone, localDate(zone, now));
}

/** What became of credits of one day, and is not on record yet. */
interface Spent extends Pick<SpentDay, "endsAt" | "creditsPerSegment"> {
  readonly released: number;
  readonly charged: number;
}

interface DayChange {
  readonly limit: number;
  readonly segments: readonly number[];
  readonly spentSince: Spent;
}

/** Spent credits count on their own day only. */
function reserveOn({ endsAt, ...day }: SpentDay, { limit, segments, spentSince }: DayChange) {
  const { released, charged } = spentSince.endsAt === endsAt ? spentSince : nothing;
  const creditsPerSegment = Math.max(day.creditsPerSegment, spentSince.creditsPerSegment);
  const spent = rounded(day.spent + charged);
  let reserved = Math.max(0, rounded(day.reserved - released));
  const credits: MessageCredits[] = [];
  for (const count of segments) {
    const cost = costOf(count, { creditsPerSegment });
    if (rounded(spent + reserved + cost) > limit) break;
    reserved = rounded(reserved + cost);
    credits.push({ endsAt, segments: count, credits: cost });
  }
  return { day: { endsAt, spent, reserved, creditsPerSegment }, credits };
}

const nothing = { released: 0, charged: 0 } as const;

function reservationsOf({ keeper, account, setting: readSetting }: LimitedAccount): Reservations {
  let spentSince: Spent = { endsAt: Infinity, creditsPerSegment: 1, ...nothing };
  const take = () => {
    const all = spentSince;
    spentSince = { ...spentSince, ...nothing };
    return all;
  };
  const reserve = (segments: readonly number[]): Reservation => {
    let share: Spent | undefined;
    let admission: Admission = { credits: [], barrier: undefined };
    return {
      account,
      next: (latest, now) => {
        const setting = readSetting();
        // If this is not recorded, these credits stay reserved: a second try could release them twice.
        share ??= take();
        const change = { limit: setting.credits, segments, spentSince: share };
        const { day, credits } = reserveOn(dayOn(setting.zone, now, latest), change);
        const { endsAt } = day;
        const creditsPerSegment = Math.max(day.creditsPerSegment, spentSince.creditsPerSegment);
        spentSince = { ...(spentSince.endsAt === endsAt ? spentSince : nothing), endsAt, creditsPerSegment };
        const next = segments[credits.length];
        const hold = next === undefined ? undefined : holdOn(limitedBy(setting, day), next);
        admission = { credits, barrier: hold && { kind: "held", hold } };
        return day;
      },
      granted: () => admission.credits.length,
      fail: (error) => void (admission = { credits: [], barrier: { kind: "unreadable", error } }),
      admission: () => admission,
    };
  };
  return {
    isOfToday: () => keeper.now() < spentSince.endsAt,
    reserve,
    spend: ({ endsAt, segments, credits }, outcome) => {
      if (outcome?.kind === "uncertain") return;
      const charged = outcome?.kind === "accepted" ? (outcome.receipt.totalCredits ?? credits) : 0;
      // The price is rounded up, so that its sums are exact.
      const price = Math.ceil((charged / segments) * 10_000) / 10_000;
      spentSince = { ...spentSince, creditsPerSegment: Math.max(spentSince.creditsPerSegment, price) };
      if (endsAt !== spentSince.endsAt) return;
      const { released, charged: before } = spentSince;
      spentSince = { ...spentSince, released: rounded(released + credits), charged: rounded(before + charged) };
    },
    bookRest: () => (spentSince.released > 0 || spentSince.charged > 0 ? reserve([]) : undefined),
    book: async (booking) => {
      try {
        await keeper.change(booking);
      } catch (error) {
        if (!(error instanceof SmsError)) throw error;
        booking.fail(error);
      }
    },
  };
}

function limitedBy(setting: DailySetting, day: SpentDay): LimitedDay {
  const { credits: limit, source, zone, raise } = setting;
  const remaining = Math.max(0, rounded(limit - day.spent - day.reserved));
  const end = `${localText(zone, day.endsAt)} in ${zone.name}`;
  const rule = `${limitText(setting)}: ${countText(remaining)} left until ${end}`;
  return { ...day, source, raise, limit, left: remaining, end, rule };
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
  const sentence = `the daily limit is ${plural(day.limit, "credit")} (${day.source})${why}`;
  return { effect: "stop", sentence, errorCode: "DAILY_LIMIT", hint };
}

function limitText({ credits, source }: DailySetting): string {
  return `${plural(credits, "credit")} a day (${source})`;
}
