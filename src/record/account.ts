import { isDate, isNumber, optional, shape } from "../json.ts";
import type { Outcome } from "../message/outcome.ts";

/** The standing is that of one key or login, by its `credentialsId`, and not of an account with several keys. */
export interface StandingKeeper {
  readonly noted: (credentials: string) => Promise<AccountStanding>;
  /** Never throws, since the standing is only a cache: the last one wins. */
  readonly note: (credentials: string, outcome: Outcome, atMs: number) => Promise<void>;
}

export interface AccountStanding {
  readonly balance?: { readonly credits: number; readonly at: string };
  readonly price?: { readonly kesPerCredit: number; readonly at: string };
  readonly lastUsed?: string;
}

/** `add` merges the new standing into the standing that the record has of the credentials. */
export function accountKeeper(
  read: (credentials: string) => unknown,
  add: (credentials: string, standing: AccountStanding) => unknown,
): StandingKeeper {
  return {
    noted: async (credentials) => {
      try {
        return standingFrom(await read(credentials));
      } catch {
        return {};
      }
    },
    note: async (credentials, outcome, at) => {
      if (outcome.kind === "unsent") return;
      try {
        await add(credentials, standingAfter(outcome, at));
      } catch {
        // The next outcome is noted again.
      }
    },
  };
}

function standingAfter(outcome: Outcome, now: number): AccountStanding {
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

export function standingFrom(value: unknown): AccountStanding {
  return isStanding(value) ? value : {};
}

const isStanding = shape<AccountStanding>({
  balance: optional(shape<NonNullable<AccountStanding["balance"]>>({ credits: isNumber, at: isDate })),
  price: optional(shape<NonNullable<AccountStanding["price"]>>({ kesPerCredit: isNumber, at: isDate })),
  lastUsed: optional(isDate),
});
