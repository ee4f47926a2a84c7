import type { Host } from "../../host.ts";
import {
  type AccountKeeper,
  type AccountPace,
  lateness,
  longestHold,
  longestSingleWait,
  turnInterval,
  type Turns,
} from "../account.ts";
import type { Database } from "./database.ts";

/** For how long a run takes turns at once. A run that is killed wastes so much. Milliseconds. */
const ahead = 250;

/** How early turns are taken, so that a run never waits for a database that is far away. Milliseconds. */
const lead = 300;

/** How long a run counts as being at work after it took turns, besides twice the time between them. Milliseconds. */
const lifetime = 10_000;

const own: Turns = { wait: 0, count: 1, interval: 0 };

/** Locks the row of an account, and forgets the runs that are gone. Where the clock was set back, the times in it mean nothing. */
const locked = `with locked as materialized (select at, next, runs from sms.pace where account = $1 for update),
  clocked as materialized (select *, extract(epoch from clock_timestamp())::float8 * 1000 as now from locked),
  found as materialized (
    select now, greatest(case when at <= now + 1000 then next else now end, now - ${lateness}) as start,
      (select coalesce(jsonb_object_agg(key, value), '{}') from jsonb_each(runs)
        where at <= now + 1000 and (value->>1)::float8 > now) as runs
    from clocked)`;

const highest = "(select max((value->>0)::float8) from jsonb_each(runs))";

/** Takes turns for the run $2 of the rate $3, which counts as being at work for $4 milliseconds. $5 is the interval at 1 a minute. */
const takeStatement = `${locked},
  joined as (select now, start, runs || jsonb_build_object($2::text, jsonb_build_array($3::float8, now + $4::float8)) as runs from found),
  paced as (select *, $3::float8 = ${highest} as leads, $5::float8 / ${highest} as gap from joined),
  taken as (
    select *, case when start > now + ${lead} then 0 when leads then greatest(1, floor(${ahead} / gap)) else 1 end as count
    from paced)
  update sms.pace set at = now, next = start + count * gap, runs = taken.runs from taken where account = $1
  returning now, start, count, gap, leads`;

/** Takes one turn, if runs are at work. $2 is the interval at 1 a minute. */
const takeOneStatement = `${locked},
  taken as (select now, start, runs, $2::float8 / ${highest} as gap from found where runs <> '{}')
  update sms.pace set at = now, next = start + gap, runs = taken.runs from taken where account = $1
  returning start - now as wait`;

/** Turns by the clock of this process, in milliseconds. */
interface Taken {
  readonly start: number;
  readonly count: number;
  readonly interval: number;
  /** Whether no other run at work has a higher rate. */
  readonly leads: boolean;
}

/** The pace of accounts in a database: a row for each, and one statement for all the turns that a run takes at once, by the clock of the server. */
export function postgresPace(
  { query }: Database,
  { now, random }: Pick<Host, "now" | "random">,
): Pick<AccountKeeper, "join" | "takeTurn"> {
  /** How far our clock is ahead of the server's, as the answer that came fastest shows. */
  let offset = Infinity;
  const take = async (account: string, run: string, rate: number): Promise<Taken> => {
    const life = lifetime + 2 * turnInterval(rate);
    const values = [account, run, rate, life, turnInterval(1)];
    const asked = now();
    const [row] = await query<{ now: number; start: number; count: number; gap: number; leads: boolean }>(
      takeStatement,
      values,
    );
    if (row === undefined) throw new Error(`no row for ${account}`);
    offset = Math.max(asked - row.now, Math.min(offset, now() - row.now));
    const { start, count, gap, leads } = row;
    return { start: start + offset - (count === 0 ? lead : 0), count, interval: gap, leads };
  };
  const join = (account: string, rate: number): AccountPace => {
    const run = random().toString(36).slice(2);
    let coming: Promise<Taken | undefined> | undefined;
    let hasRow = false;
    const ask = async () => {
      try {
        if (!hasRow)
          await query("insert into sms.pace (account) values ($1) on conflict (account) do nothing", [account]);
        hasRow = true;
        return await take(account, run, rate);
      } catch {
        return undefined;
      }
    };
    return {
      take: async () => {
        const taken = await (coming ?? ask());
        coming = undefined;
        if (taken === undefined) return own;
        const { start, count, interval, leads } = taken;
        // So the next turns are there when these are used. A run that is slower than others would use them too late.
        if (count > 0 && leads) coming = ask();
        return { wait: Math.max(count === 0 ? 1 : -Infinity, start - now()), count, interval };
      },
      hold: async (ms) => {
        coming = undefined;
        const until = "extract(epoch from clock_timestamp()) * 1000 + $2::float8";
        await query(`update sms.pace set next = greatest(next, ${until}) where account = $1`, [
          account,
          Math.min(ms, longestHold),
        ]).catch(() => {});
      },
      leave: async () => {
        coming = undefined;
        await query("update sms.pace set runs = runs - $2::text where account = $1", [account, run]).catch(() => {});
      },
    };
  };
  return {
    join: async (account, rate) => join(account, rate),
    takeTurn: async (account) => {
      try {
        const [row] = await query<{ wait: number }>(takeOneStatement, [account, turnInterval(1)]);
        return Math.min(longestSingleWait, Math.max(0, row?.wait ?? 0));
      } catch {
        return 0;
      }
    },
  };
}
