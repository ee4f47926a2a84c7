import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { type AccountKeeper, notesFrom, notesOf } from "../account.ts";
import { beginLine, DayLines, reserveLine, settleLine } from "../spent-day.ts";
import type { Database } from "./database.ts";
import { postgresPace } from "./pace.ts";

/** What is known of those who pay, in a database. */
export function postgresAccount(database: Database, machine: Pick<Host, "now" | "random">): AccountKeeper {
  const { query } = database;
  return {
    ...spendingIn(database),
    ...postgresPace(database, machine),
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

interface Day {
  readonly date: string;
  readonly lines: DayLines;
}

/** What accounts spend, in a database: the state of each day, which one transaction at a time changes. */
function spendingIn({
  query,
  transaction,
  place,
}: Database): Pick<AccountKeeper, "day" | "reserve" | "settle" | "reservedBy"> {
  const latest = async (ask: Database["query"], account: string, today: string): Promise<Day> => {
    const [row] = await ask<{ date: string; state: string }>(
      "select date, state from sms.spending where account = $1 order by date desc limit 1",
      [account],
    );
    const before = dayOf(row?.date ?? today, row?.state ?? beginLine(1), place);
    if (before.date >= today) return before;
    return dayOf(today, beginLine(before.lines.spentOn(today).creditsPerSegment), place);
  };
  const change = <Result>(account: string, today: string, work: (day: Day) => Result): Promise<Result> =>
    transaction(async (ask) => {
      await ask("select pg_advisory_xact_lock(hashtextextended($1, 0))", [`sms spending ${account}`]);
      const day = await latest(ask, account, today);
      const result = work(day);
      // A process whose clock is a moment behind may still use the day before the last.
      await ask(
        `with old as (delete from sms.spending where account = $1
          and date < (select max(date) from sms.spending where account = $1 and date < $2))
        insert into sms.spending (account, date, state) values ($1, $2, $3)
        on conflict (account, date) do update set state = excluded.state`,
        [account, day.date, day.lines.snapshot()],
      );
      return result;
    });
  return {
    day: async (account, today) => {
      const { date, lines } = await latest(query, account, today);
      return lines.spentOn(date);
    },
    reserve: (account, reservation) =>
      change(account, reservation.today, ({ date, lines }) => {
        const { granted = 0 } = lines.apply(reserveLine("", reservation)) ?? {};
        return { ...lines.spentOn(date), granted };
      }),
    settle: (account, { holder, date }, settlements) =>
      change(account, date, (day) => {
        if (day.date === date) day.lines.apply(settleLine("", holder, settlements));
      }),
    reservedBy: async (account, holder, today) => (await latest(query, account, today)).lines.openOf(holder),
  };
}

/** Throws `SPENDING_DAMAGED` for what is not the state of a day. */
function dayOf(date: string, state: string, place: string): Day {
  const lines = new DayLines();
  lines.apply(state);
  if (lines.hasBegun) return { date, lines };
  const hint = "restore its row of sms.spending, or delete it: then its day begins anew, with nothing spent";
  throw usageError("SPENDING_DAMAGED", `what an account has spent on ${date}, at ${place}, is damaged`, hint);
}
