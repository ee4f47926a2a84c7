import { type AccountKeeper, notesFrom, notesOf, ownPace } from "../account.ts";
import type { Database } from "./database.ts";
import { postgresSpending } from "./spending.ts";

/** What is known of those who pay, in a database. */
export function postgresAccount(database: Database): AccountKeeper {
  const { query } = database;
  return {
    ...postgresSpending(database),
    // The machines of a team keep a pace each.
    join: async () => ownPace,
    takeTurn: async () => 0,
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
  };
}
