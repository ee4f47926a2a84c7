import { mostKept, type WatchKeeper } from "../watched.ts";
import type { Database } from "./database.ts";

/** The row of the name is locked, so that two watches never see the same room. */
const taking = `
insert into sms.watched as watched (name, texts) values ($1, array[clock_timestamp()])
  on conflict (name) do update set texts = watched.texts || clock_timestamp()
    where (select count(*) from unnest(watched.texts) as at where at >= clock_timestamp() - $2 * interval '1 ms') < $3
  returning texts[cardinality(texts)]::text as slot`;

const ending = `
update sms.watched set texts = (array_remove(texts, $2::timestamptz) || case when $3 then array[clock_timestamp()] end)
    [greatest(1, cardinality(texts) - ${mostKept}):]
  where name = $1`;

const ages = `
select extract(epoch from clock_timestamp() - at)::float8 * 1000 as age
  from sms.watched, unnest(texts) as at where name = $1 order by at`;

export function postgresWatched({ query }: Pick<Database, "query">): WatchKeeper {
  return {
    ages: async (name) => (await query<{ age: number }>(ages, [name])).map(({ age }) => age),
    take: async (name, { texts, timeMs }) => (await query<{ slot: string }>(taking, [name, timeMs, texts]))[0]?.slot,
    end: async (name, slot, counts) => {
      await query(ending, [name, slot, counts]);
    },
  };
}
