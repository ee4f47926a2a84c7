import { isObject } from "../message/json.ts";
import type { Outcome } from "../message/outcome.ts";

/** What is known of those who pay, by `payerId`. */
export interface AccountKeeper {
  /** Returns what was last noted of a payer; nothing if that cannot be read. */
  readonly noted: (payer: string) => Promise<AccountNotes>;
  /** Notes what an outcome tells. Never throws, since it is only a cache: the last note wins. `at` in milliseconds since 1970. */
  readonly note: (payer: string, outcome: Outcome, at: number) => Promise<void>;
}

/** Last known balance, price and use. Dates are ISO 8601 in UTC. */
export interface AccountNotes {
  readonly balance?: { readonly credits: number; readonly at: string };
  readonly price?: { readonly kesPerCredit: number; readonly at: string };
  readonly lastUsed?: string;
}

/** Returns what an outcome tells of who paid: the time of use and, from a receipt, balance and price. */
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

/** Returns the notes that sms wrote; fields of another form count as absent. */
export function notesFrom(value: unknown): AccountNotes {
  if (!isObject(value)) return {};
  const { balance, price, lastUsed } = value;
  return {
    ...(isBalance(balance) && { balance }),
    ...(isPrice(price) && { price }),
    ...(isDate(lastUsed) && { lastUsed }),
  };
}

function isBalance(value: unknown): value is NonNullable<AccountNotes["balance"]> {
  return isObject(value) && typeof value["credits"] === "number" && isDate(value["at"]);
}

function isPrice(value: unknown): value is NonNullable<AccountNotes["price"]> {
  return isObject(value) && typeof value["kesPerCredit"] === "number" && isDate(value["at"]);
}

function isDate(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
