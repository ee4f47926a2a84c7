import { usageError } from "../../errors.ts";
import { type AccountKeeper, notesFrom, notesOf, type SpendingKeeper } from "../account.ts";
import { spendingIn } from "../spent-day.ts";
import type { Database } from "./database.ts";

/** What is known of those who pay, in a database. */
export function postgresAccount(database: Database): AccountKeeper {
  const { query } = database;
  return {
    noted: async (payer) => {
      try {
        const [row] = await query<{ notes: unknown }>("select notes from sms.account where payer = $1", [payer]);
        return row === undefined ? {} : notesFrom(row.notes);
      } catch {
        return {};
      }
    },
    note: async (payer, outcome, at) => {
      if (outcome.kind === "unsent") return;
      try {
        await query(
          `insert into sms.account (payer, notes) values ($1, $2)
          on conflict (payer) do update set notes = account.notes || excluded.notes`,
          [payer, JSON.stringify(notesOf(outcome, at))],
        );
      } catch {
        // The next outcome is noted again.
      }
    },
    spending: async () => spendingRows(database),
  };
}

/** What accounts spend, in a database: a row for the latest day of each account, which one transaction at a time changes. */
function spendingRows({ query, transaction, place }: Database): SpendingKeeper {
  return spendingIn({
    read: async (account) => {
      const [row] = await query<{ day: string }>("select day from sms.spending where account = $1 and day <> ''", [
        account,
      ]);
      return row?.day;
    },
    change: (account, edit) =>
      transaction(async (ask) => {
        // An update holds the row as `for update` does, and also one that another transaction has just made.
        const [row] = await ask<{ day: string }>(
          `insert into sms.spending (account, day) values ($1, '')
          on conflict (account) do update set day = spending.day returning day`,
          [account],
        );
        const { text, result } = edit(row?.day || undefined);
        await ask("update sms.spending set day = $2 where account = $1", [account, text]);
        return result;
      }),
    damaged: (account) => {
      const hint = `restore the row of ${account} in sms.spending, or delete it: then its day begins anew, with nothing spent`;
      return usageError("SPENDING_DAMAGED", `what an account has spent on a day, at ${place}, is damaged`, hint);
    },
  });
}
