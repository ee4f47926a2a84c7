import { numberKey, NumberSet } from "../../message/number-set.ts";
import { type OptedOut, type OptOutKeeper, withShortReason } from "../opt-outs.ts";
import { type Database, noteChanges } from "./database.ts";

/** An intent asks the server sooner. */
const currentMs = 100;

export function postgresOptOuts({ query, transaction, optOutChanges }: Database): OptOutKeeper {
  const numbers = async (): Promise<OptedOut> => {
    const [row] = await query<{ changes: string; numbers: readonly string[] }>(
      "select opt_out_changes as changes, array(select number from sms.opt_outs) as numbers from sms.record",
    );
    const { changes = "", numbers: texts = [] } = row ?? {};
    const set = new NumberSet();
    for (const number of texts) set.add(numberKey(number));
    noteChanges(optOutChanges, changes);
    return optedOut(set, changes);
  };
  const optedOut = (set: NumberSet, changes: string): OptedOut => {
    const current: OptedOut = {
      size: set.size,
      has: (number) => set.has(number),
      isCurrent: () => {
        const { count, at, isAskedByIntents } = optOutChanges;
        return count === changes && (isAskedByIntents || performance.now() - at < currentMs);
      },
      renew: async () => {
        const [row] = await query<{ changes: string }>("select opt_out_changes as changes from sms.record");
        if (row?.changes !== changes) return numbers();
        noteChanges(optOutChanges, changes);
        return current;
      },
    };
    return current;
  };
  return {
    list: async () => {
      const rows = await query<{ number: string; at: Date; reason: string | null }>(
        "select number, at, reason from sms.opt_outs order by id",
      );
      return rows.map(({ number, at, reason }) => ({
        to: number,
        at: at.toISOString(),
        ...(reason !== null && { reason }),
      }));
    },
    add: (more) =>
      transaction(async (ask) => {
        // The next change of the list waits for this row.
        await ask("update sms.record set opt_out_changes = opt_out_changes + 1");
        const rows = more.map(withShortReason);
        const added = await ask<{ number: string }>(
          `insert into sms.opt_outs (number, at, reason)
          select number, at, reason from unnest($1::text[], $2::timestamptz[], $3::text[]) with ordinality
            as more (number, at, reason, place) order by place
          on conflict (number) do nothing returning number`,
          // A database takes no NUL in a text.
          [
            rows.map(({ to }) => to),
            rows.map(({ at }) => at),
            rows.map(({ reason }) => reason?.replaceAll("\0", "") ?? null),
          ],
        );
        const [row] = await ask<{ count: number }>("select count(*)::int as count from sms.opt_outs");
        return { added: added.map(({ number }) => number), count: row?.count ?? 0 };
      }),
    remove: (removed) =>
      transaction(async (ask) => {
        await ask("update sms.record set opt_out_changes = opt_out_changes + 1");
        await ask("delete from sms.opt_outs where number = any($1::text[])", [removed]);
      }),
    numbers,
  };
}
