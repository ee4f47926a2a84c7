import { parseJson, isDate, isNumber, shape } from "../json.ts";
import { usageError } from "../errors.ts";

/** All keys of a profile share an account. */
export interface SpendingKeeper {
  readonly latest: (account: string) => Promise<SpentDay | undefined>;
  /** `next` may be called again for a later day. If this throws, nothing is granted; else the day survives a power cut. */
  readonly change: <Next extends { readonly day: SpentDay }>(
    account: string,
    next: (latest: SpentDay | undefined) => Next,
  ) => Promise<Next>;
}

export interface SpentDay {
  readonly date: string;
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

const isSpentDay = shape<SpentDay>({ date: isDate, spent: isNumber, reserved: isNumber, creditsPerSegment: isNumber });
