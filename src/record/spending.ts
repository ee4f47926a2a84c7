import { parseJson, isNumber, shape } from "../json.ts";
import { type SmsError, usageError } from "../errors.ts";

/** All keys of a profile share an account. */
export interface SpendingKeeper {
  /** Days end by this clock, which in a team's record is the database's, as of its last answer. */
  readonly now: () => number;
  readonly latest: (account: string) => Promise<SpentDay | undefined>;
  /** If this throws, nothing is granted; else the day survives a power cut. */
  readonly change: (booking: Booking) => Promise<void>;
}

/** A change of a day that goes into the record together with the intents that it pays. */
export interface Booking {
  readonly account: string;
  /** This is called again if another process has changed the day. */
  readonly next: (latest: SpentDay | undefined, now: number) => SpentDay;
  /** So many messages, from the first on, has the last `next` admitted. */
  readonly granted: () => number;
  /** The day cannot be read or written, so nothing is granted. */
  readonly fail: (error: SmsError) => void;
}

export interface SpentDay {
  /** The first reservation of the day has named its end. */
  readonly endsAt: number;
  readonly spent: number;
  /** Messages on their way, those that may have been sent, and those that a kill cut off count here. */
  readonly reserved: number;
  /** The highest charge on receipts for a segment of our own count raises this from 1 credit. */
  readonly creditsPerSegment: number;
}

export function readSpentDay(text: string | undefined, place: string): SpentDay | undefined {
  if (text === undefined) return undefined;
  const day = parseJson(text);
  if (isSpentDay(day)) return day;
  const hint = "restore it from a copy, or remove it: then its day begins anew, with nothing spent";
  throw usageError("SPENDING_DAMAGED", `${place}, what an account has spent on a day, is damaged`, hint);
}

const isSpentDay = shape<SpentDay>({
  endsAt: isNumber,
  spent: isNumber,
  reserved: isNumber,
  creditsPerSegment: isNumber,
});
