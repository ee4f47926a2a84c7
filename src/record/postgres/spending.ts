import { dayOn, type Reserved, type SpendingKeeper, type SpentDay } from "../spending.ts";
import type { Database } from "./database.ts";

const columns = `day.date, day.spent::float8, day.reserved::float8, day.credits_per_segment::float8 as "creditsPerSegment"`;

/** Processes wait for each other at `for update`, and then see what the other one has written. */
const reserving = `
with latest as materialized (select * from sms.spending where account = $1 for update),
settled as (
  select greatest(date, $2) as date,
    case when date < $2 then 0 when date = $3 then spent + $4 else spent end as spent,
    case when date < $2 then 0 when date = $3 then greatest(0, reserved - $5) else reserved end as reserved,
    greatest(credits_per_segment, $6) as credits_per_segment
  from latest
),
wanted as (
  select count(*) over to_here as messages, sum(segments) over to_here as segments
  from unnest($7::integer[]) with ordinality as message (segments, place)
  window to_here as (order by place)
),
allowed as (
  select settled.*, coalesce(max(messages), 0) as granted, coalesce(max(segments), 0) as segments
  from settled left join wanted on spent + reserved + segments * credits_per_segment <= $8
  group by date, spent, reserved, credits_per_segment
)
update sms.spending as day
set date = allowed.date, spent = allowed.spent, credits_per_segment = allowed.credits_per_segment,
  reserved = allowed.reserved + allowed.segments * allowed.credits_per_segment
from allowed where day.account = $1
returning ${columns}, granted::integer`;

export function postgresSpending({ query }: Pick<Database, "query">): SpendingKeeper {
  const keeper: SpendingKeeper = {
    day: async (account, today) => {
      const [latest] = await query<SpentDay & object>(`select ${columns} from sms.spending as day where account = $1`, [
        account,
      ]);
      return dayOn(today, latest);
    },
    reserve: async (account, reservation) => {
      const { today, limit, segments, settled, creditsPerSegment } = reservation;
      const { date, charged, released } = settled;
      const values = [account, today, date, charged, released, creditsPerSegment, segments, limit];
      const [reserved] = await query<Reserved & object>(reserving, values);
      if (reserved !== undefined) return reserved;
      await query("insert into sms.spending (account, date) values ($1, $2) on conflict (account) do nothing", [
        account,
        today,
      ]);
      return keeper.reserve(account, reservation);
    },
  };
  return keeper;
}
