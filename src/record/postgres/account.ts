import { type AccountKeeper, notesFrom, notesOf } from "../account.ts";
import type { Database } from "./database.ts";
import { readSpentDay, type SpendingKeeper } from "../spending.ts";

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
    spending: async () => postgresSpending(database),
  };
}

/** If the day is not the one that `next` saw, this writes nothing, and the caller tries again from the other one. */
const writing = `
with written as (insert into sms.spending as spending (account, day) values ($1, $2)
  on conflict (account) do update set day = excluded.day where spending.day = $3 returning account)
select exists (select from written) as "isWritten", (select day from sms.spending where account = $1) as before`;

function postgresSpending({ query, place }: Pick<Database, "query" | "place">): SpendingKeeper {
  const texts = new Map<string, string | undefined>();
  const dayIn = (text: string | undefined) => readSpentDay(text, `the record at ${place}`);
  return {
    latest: async (account) => {
      const [row] = await query<{ day: string }>("select day from sms.spending where account = $1", [account]);
      return dayIn(row?.day);
    },
    change: async (account, next) => {
      for (;;) {
        const before = texts.get(account);
        const change = next(dayIn(before));
        const day = JSON.stringify(change.day);
        const [row] = await query<{ isWritten: boolean; before: string | null }>(writing, [account, day, before]);
        texts.set(account, row?.isWritten ? day : (row?.before ?? undefined));
        if (row?.isWritten) return change;
      }
    },
  };
}
