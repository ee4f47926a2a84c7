import { parseJson, isDate, isNumber, shape } from "../json.ts";
import { rounded } from "../message/outcome.ts";

/** All keys of a profile share an account. */
export interface SpendingKeeper {
  /** Setting the clock or the zone back frees no credits: a later day on record applies. */
  readonly day: (account: string, today: string) => Promise<SpentDay>;
  /** The grant survives a power cut. If this throws, nothing is granted, and what was to be settled stays reserved. */
  readonly reserve: (account: string, reservation: Reservation) => Promise<Reserved>;
}

export interface SpentDay {
  readonly date: string;
  readonly spent: number;
  /** Messages on their way, those that may have been sent, and those that a kill cut off count here. */
  readonly reserved: number;
  /** The highest charge on receipts for a segment of our own count raises this from 1 credit. */
  readonly creditsPerSegment: number;
}

export interface Reservation {
  readonly today: string;
  readonly limit: number;
  readonly segments: readonly number[];
  readonly settled: Settled;
  readonly creditsPerSegment: number;
}

/** The credits count on the day of their reservation only. */
export interface Settled {
  readonly date: string;
  readonly released: number;
  readonly charged: number;
}

export interface Reserved extends SpentDay {
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
