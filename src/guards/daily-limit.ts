import type { Hold } from "../recipients/hold.ts";
import { countText, plural } from "../words/count.ts";
import { rounded, type Outcome } from "../message/outcome.ts";
import type { SpendingKeeper, Reserved, Settlement, SpentDay } from "../record/account.ts";
import type { Costly, Guard, Reservations } from "./guard.ts";
import { endOfDate, localDate, localText, type Zone } from "./hours.ts";

/** The credits that an account may spend in a day of this zone. */
export interface DailyTerms {
  readonly credits: number;
  /** Where that came from, such as SMS_DAILY_CREDITS. */
  readonly source: string;
  readonly zone: Zone;
  /** How to raise it to so many credits, as in SMS_DAILY_CREDITS=5. */
  readonly raise: (credits: number) => string;
}

/** A day of an account, beside its limit. */
interface LimitedDay extends SpentDay {
  readonly limit: number;
  /** Never less than 0. */
  readonly left: number;
  /** Milliseconds since 1970. */
  readonly endsAt: number;
}

/** The guard of a day. Its plan is held back as well if the longest message could go on no day. */
export interface DailyLimit extends Required<Pick<Guard, "holdPlan" | "fitting" | "reservations" | "warning">> {
  readonly today: () => Promise<LimitedDay>;
  readonly rule: () => Promise<string>;
}

/** Opens the limit of an account. `now` is in milliseconds since 1970. */
export function dailyLimit(
  { keeper, account }: { readonly keeper: SpendingKeeper; readonly account: string },
  terms: DailyTerms,
  now: () => number,
): DailyLimit {
  const { credits: limit, source, zone } = terms;
  const limited = (day: SpentDay): LimitedDay => {
    const left = Math.max(0, rounded(limit - day.spent - day.reserved));
    return { ...day, limit, left, endsAt: endOfDate(zone, day.date) };
  };
  const today = async () => limited(await keeper.day(account, localDate(zone, now())));
  const holdOn = (day: LimitedDay, segments: number): Hold => {
    const cost = rounded(segments * day.creditsPerSegment);
    const [why, hint] =
      cost > limit
        ? [
            `, and a message may cost ${amountText(cost)}: no day has room for it`,
            `raise the limit with ${terms.raise(Math.ceil(cost))}`,
          ]
        : [
            `: ${amountText(day.spent)} spent and ${amountText(day.reserved)} reserved, so ${amountText(day.left)} left, ` +
              `and the next message may cost ${amountText(cost)}`,
            `the day ends at ${endText(zone, day.endsAt)}`,
          ];
    const reason = `the daily limit is ${creditsText(limit)} (${source})${why}`;
    return { guard: "dailyCredits", effect: "stop", reason, errorCode: "DAILY_LIMIT", hint };
  };
  return {
    today,
    rule: async () => {
      const day = await today();
      return `${creditsText(limit)} a day (${source}): ${amountText(day.left)} left until ${endText(zone, day.endsAt)}`;
    },
    holdPlan: async ({ first, longest }) => {
      const day = await today();
      const costOf = (count: number) => rounded(count * day.creditsPerSegment);
      if (costOf(longest) > limit) return holdOn(day, longest);
      return costOf(first) > day.left ? holdOn(day, first) : undefined;
    },
    warning: async () => {
      // The message is accepted, even if the day cannot be read.
      const day = await today().catch(() => undefined);
      if (day === undefined || day.spent <= limit) return undefined;
      const spent = plural(day.spent, "credit");
      return `receipts were above their estimates: ${spent} of ${countText(limit)} are spent today`;
    },
    fitting: async (order) => {
      const { left: room, creditsPerSegment } = await today();
      let left = room;
      let fit = 0;
      for (const { segments, messages } of order) {
        const cost = segments * creditsPerSegment;
        const count = Math.min(messages, Math.floor(rounded(left / cost)));
        fit += count;
        left = rounded(left - count * cost);
        if (count < messages) break;
      }
      return fit;
    },
    reservations: (holder) => reservationsOf(keeper, account, { holder, limit, limited, holdOn, zone, now }),
  };
}

/** Returns the current day of an account that is not known. */
export function dayAt({ credits: limit, source, zone }: DailyTerms, now: number) {
  const date = localDate(zone, now);
  const endsAt = endOfDate(zone, date);
  const rule = `${creditsText(limit)} a day (${source}): it ends at ${endText(zone, endsAt)}`;
  return { date, limit, spent: null, reserved: null, left: null, endsAt, rule } as const;
}

function endText(zone: Zone, endsAt: number): string {
  return `${localText(zone, endsAt)} in ${zone.name}`;
}

interface Terms {
  readonly holder: string;
  readonly limit: number;
  readonly limited: (day: SpentDay) => LimitedDay;
  readonly holdOn: (day: LimitedDay, segments: number) => Hold;
  readonly zone: Zone;
  readonly now: () => number;
}

function reservationsOf(
  keeper: SpendingKeeper,
  account: string,
  { holder, limit, limited, holdOn, zone, now }: Terms,
): Reservations {
  /** The dates on which messages are reserved that are not settled. */
  const dates = new Map<number, string>();
  let date: string | undefined;
  let endsAt = Infinity;
  /** The day on record when credits were last reserved, and what is known since: the next change of the record settles it. */
  let latest = "";
  let waiting: readonly Settlement[] = [];

  const renew = () => {
    if (now() >= endsAt) [date, endsAt] = [undefined, Infinity];
  };
  const reserveDue = async (due: readonly Costly[]): Promise<Reserved> => {
    const settlements = waiting;
    const settled = { date: latest, settlements };
    const reservation = { holder, today: localDate(zone, now()), limit, messages: due, settled };
    const reserved = await keeper.reserve(account, reservation);
    [latest, waiting] = [reserved.date, waiting.slice(settlements.length)];
    return reserved;
  };
  return {
    isCurrent: () => now() < endsAt,
    renew,
    reserve: async (messages) => {
      for (;;) {
        renew();
        const due = messages.filter(({ index }) => date === undefined || dates.get(index) !== date);
        if (due.length === 0) return { granted: messages.length, refusal: undefined };
        const reserved = await reserveDue(due);
        const day = limited(reserved);
        [date, endsAt] = [day.date, day.endsAt];
        for (const { index } of due.slice(0, reserved.granted)) dates.set(index, day.date);
        // The process may have been stopped meanwhile.
        if (now() >= endsAt) continue;
        const next = due[reserved.granted];
        const granted = messages.filter(({ index }) => dates.get(index) === date).length;
        return { granted, refusal: next && holdOn(day, next.segments) };
      }
    },
    settle: (index, outcome) => {
      // On a day that has ended nothing is left to settle.
      if (dates.get(index) === latest) waiting = [...waiting, settlementOf(index, outcome)];
      dates.delete(index);
    },
    recover: async (isUnsent) => {
      const today = localDate(zone, now());
      const left = await keeper.reservedBy(account, holder, today);
      if (left.length === 0) return;
      const settlements = left.map((index) => ({ kind: isUnsent(index) ? "given-back" : "kept", index }) as const);
      const { date: on } = await keeper.day(account, today);
      await keeper.settle(account, { holder, date: on }, settlements);
    },
    close: async () => {
      if (waiting.length === 0) return;
      // What cannot be settled stays reserved.
      await keeper.settle(account, { holder, date: latest }, waiting).catch(() => {});
      waiting = [];
    },
  };
}

function settlementOf(index: number, outcome: Outcome | undefined): Settlement {
  if (outcome?.kind === "accepted") return { kind: "charged", index, credits: outcome.receipt.totalCredits };
  return { kind: outcome?.kind === "uncertain" ? "kept" : "given-back", index };
}

function creditsText(credits: number): string {
  return plural(rounded(credits), "credit");
}

function amountText(credits: number): string {
  return countText(rounded(credits));
}
