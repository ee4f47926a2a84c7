import { type AccountKeeper, standingFrom, standingOf } from "../account.ts";
import type { Database } from "./database.ts";

export function postgresAccount({ query }: Pick<Database, "query">): AccountKeeper {
  return {
    noted: async (payer) => {
      try {
        const [row] = await query<{ notes: unknown }>("select notes from sms.account where payer = $1", [payer]);
        return row === undefined ? {} : standingFrom(row.notes);
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
          [payer, JSON.stringify(standingOf(outcome, at))],
        );
      } catch {
        // The next outcome is noted again.
      }
    },
  };
}
