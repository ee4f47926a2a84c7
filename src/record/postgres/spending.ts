import { readSpentDay, type SpendingKeeper } from "../spending.ts";
import type { Database } from "./database.ts";

/** If the day is not the one that `next` saw, this writes nothing, and the caller tries again from the other one. */
const writing = `
with written as (insert into sms.spending as spending (account, day) values ($1, $2)
  on conflict (account) do update set day = excluded.day where spending.day = $3 returning account)
select exists (select from written) as "isWritten", (select day from sms.spending where account = $1) as before`;

export function postgresSpending({ query, place }: Pick<Database, "query" | "place">): SpendingKeeper {
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
