import { parseJson, isDate, isNumber, shape } from "../json.ts";
import { rounded } from "../message/outcome.ts";

/** What accounts spend on their latest day. An account is a `Payer.account`, which all keys of a profile share. */
export interface SpendingKeeper {
  /** The day of an account, or the latest on record if that is later: setting the clock or the zone back frees no credits. */
  readonly day: (account: string, today: string) => Promise<SpentDay>;
  /**
   * Settles, then reserves for as many messages, from the first on, as the limit has room for. What it grants survives a power
   * cut. Throws if it cannot be recorded: then nothing is granted, and what was to be settled stays reserved.
   */
  readonly reserve: (account: string, reservation: Reservation) => Promise<Reserved>;
}

export interface SpentDay {
  readonly date: string;
  readonly spent: number;
  /** Credits of messages on their way, of those that may have been sent, and of those that a kill cut off. */
  readonly reserved: number;
  /** The highest charge for a segment of our own count that a receipt has shown; at least 1. */
  readonly creditsPerSegment: number;
}

export interface Reservation {
  readonly today: string;
  readonly limit: number;
  readonly segments: readonly number[];
  readonly settled: Settled;
  /** The highest charge for a segment that receipts have shown since. */
  readonly creditsPerSegment: number;
}

/** What became of credits that were reserved. It counts on that day only. */
export interface Settled {
  readonly date: string;
  readonly released: number;
  readonly charged: number;
}

export interface Reserved extends SpentDay {
  /** How many messages, from the first on. */
  readonly granted: number;
}

export function dayOn(today: string, latest: SpentDay | undefined): SpentDay {
  if (latest !== undefined && latest.date >= today) return latest;
  return { date: today, spent: 0, reserved: 0, creditsPerSegment: latest?.creditsPerSegment ?? 1 };
}

export function reserveOn(latest: SpentDay | undefined, reservation: Reservation): Reserved {
  const { today, limit, settled, segments } = reservation;
  const { date, ...day } = dayOn(today, latest);
  const { released, charged } = settled.date === date ? settled : { released: 0, charged: 0 };
  const creditsPerSegment = Math.max(day.creditsPerSegment, reservation.creditsPerSegment);
  const spent = rounded(day.spent + charged);
  let reserved = Math.max(0, rounded(day.reserved - released));
  let granted = 0;
  for (const count of segments) {
    const more = rounded(reserved + count * creditsPerSegment);
    if (rounded(spent + more) > limit) break;
    reserved = more;
    granted++;
  }
  return { date, spent, reserved, creditsPerSegment, granted };
}

export function spentDayFrom(text: string): SpentDay | undefined {
  const day = parseJson(text);
  return isSpentDay(day) ? day : undefined;
}

const isSpentDay = shape<SpentDay>({ date: isDate, spent: isNumber, reserved: isNumber, creditsPerSegment: isNumber });
