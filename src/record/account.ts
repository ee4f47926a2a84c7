import { isDate, isNumber, optional, shape } from "../json.ts";
import type { Outcome } from "../message/outcome.ts";

/** What is known of those who pay. Notes go by `payerId`, which tells keys apart. */
export interface AccountKeeper {
  /** Returns what was last noted of a payer; nothing if that cannot be read. */
  readonly noted: (payer: string) => Promise<AccountNotes>;
  /** Notes what an outcome tells. Never throws, since it is only a cache: the last note wins. `at` in milliseconds since 1970. */
  readonly note: (payer: string, outcome: Outcome, at: number) => Promise<void>;
  readonly spending: () => Promise<SpendingKeeper>;
}

/** What accounts spend on their latest day. An account is a `Payer.account`, which all keys of a profile share. */
export interface SpendingKeeper {
  /** Returns what an account has spent on this day, or on the latest day on record if that is later. */
  readonly day: (account: string, today: string) => Promise<SpentDay>;
  /**
   * Reserves credits for as many of these messages, from the first on, as the limit has room for. What it returns survives a
   * power cut. Throws if it cannot be recorded.
   */
  readonly reserve: (account: string, reservation: Reservation) => Promise<Reserved>;
  /** Settles what a holder reserved. Does nothing for what is no longer reserved, or once a later day is on record. */
  readonly settle: (account: string, holder: HolderOnDay, settlements: readonly Settlement[]) => Promise<void>;
  /** Returns the messages for which a holder has reserved credits on this day that are not settled. */
  readonly reservedBy: (account: string, holder: string, today: string) => Promise<readonly number[]>;
}

export interface SpentDay {
  readonly date: string;
  readonly spent: number;
  readonly reserved: number;
  /** The highest charge for a segment of our own count that a receipt has shown; at least 1. */
  readonly creditsPerSegment: number;
}

export interface Reservation {
  /** A run, or a command that sends one message. It has a number for each of its messages. */
  readonly holder: string;
  readonly today: string;
  readonly limit: number;
  readonly messages: readonly { readonly index: number; readonly segments: number }[];
  /** What is known by now of the holder's reservations of a day. It is settled first. */
  readonly settled?: { readonly date: string; readonly settlements: readonly Settlement[] };
}

export interface Reserved extends SpentDay {
  readonly granted: number;
}

interface HolderOnDay {
  readonly holder: string;
  readonly date: string;
}

/** What becomes of the credits that are reserved for a message. */
export type Settlement =
  /** The receipt says how many; without that they are as reserved. */
  | { readonly kind: "charged"; readonly index: number; readonly credits: number | undefined }
  /** The message may have been sent: they stay reserved until the day ends. */
  | { readonly kind: "kept"; readonly index: number }
  /** The message was provably not sent. */
  | { readonly kind: "given-back"; readonly index: number };

export interface AccountNotes {
  readonly balance?: { readonly credits: number; readonly at: string };
  readonly price?: { readonly kesPerCredit: number; readonly at: string };
  readonly lastUsed?: string;
}

export function notesOf(outcome: Outcome, now: number): AccountNotes {
  const at = new Date(now).toISOString();
  if (outcome.kind !== "accepted") return { lastUsed: at };
  const { newBalance, totalCredits = 0, totalCostKes } = outcome.receipt;
  const hasPrice = totalCredits > 0 && totalCostKes !== undefined;
  return {
    lastUsed: at,
    ...(newBalance !== undefined && { balance: { credits: newBalance, at } }),
    ...(hasPrice && { price: { kesPerCredit: Math.round((totalCostKes / totalCredits) * 1e6) / 1e6, at } }),
  };
}

export function notesFrom(value: unknown): AccountNotes {
  return isNotes(value) ? value : {};
}

const isNotes = shape<AccountNotes>({
  balance: optional(shape<NonNullable<AccountNotes["balance"]>>({ credits: isNumber, at: isDate })),
  price: optional(shape<NonNullable<AccountNotes["price"]>>({ kesPerCredit: isNumber, at: isDate })),
  lastUsed: optional(isDate),
});
