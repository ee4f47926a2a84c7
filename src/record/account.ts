import { isDate, isNumber, optional, shape } from "../json.ts";
import type { Outcome } from "../message/outcome.ts";

export interface AccountKeeper {
  readonly noted: (payer: string) => Promise<AccountNotes>;
  /** Never throws, since the notes are only a cache: the last note wins. */
  readonly note: (payer: string, outcome: Outcome, atMs: number) => Promise<void>;
}

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
