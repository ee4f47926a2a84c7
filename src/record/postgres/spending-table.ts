import type { QueryResultRow } from "pg";
import { type Booking, readSpentDay, type SpendingKeeper } from "../spending.ts";
import type { Machine } from "../../host.ts";
import type { Database } from "./database.ts";

/** Parameters of `bookingOf`: the account, its day as text, and the text of the day that this one follows. */
export type DayParameters = readonly [account: string, day: string, before: string | null];

interface DayAnswer {
  /** False if another process has changed the day meanwhile: then the statement has written nothing. */
  readonly isBooked: boolean;
  readonly before: string | null;
  readonly serverTime: number;
}

interface PostgresSpending extends SpendingKeeper {
  /** `write` executes a statement with `bookingOf` in it. */
  readonly change: (booking: Booking, write?: (change: DayParameters) => Promise<DayAnswer>) => Promise<void>;
}

/** Part of a statement whose parameters from `$first` on are a `DayParameters`; `source` is where the row comes from, if any. */
export const bookingOf = (first: number, source = "") => `
insert into sms.spending as spending (account, day) select $${first}::text, $${first + 1}::text ${source}
  on conflict (account) do update set day = excluded.day where spending.day = $${first + 2} returning account`;

export const dayAnswer = (first: number) => `exists (select from booked) as "isBooked",
  (select day from sms.spending where account = $${first}) as before, ${clockTime}`;

export function dayAnswerIn({ isBooked, before, serverTime }: QueryResultRow): DayAnswer {
  return {
    isBooked: isBooked === true,
    before: before === null ? null : String(before),
    serverTime: Number(serverTime),
  };
}

const clockTime = `(extract(epoch from clock_timestamp()) * 1000)::float8 as "serverTime"`;

const alone = `with booked as (${bookingOf(1)}) select ${dayAnswer(1)}`;

const reading = `select (select day from sms.spending where account = $1) as before, ${clockTime}`;

/** This machine may sleep, and then its `now` stands still. */
const staleMs = 60_000;

export function postgresSpending(
  { query, place }: Pick<Database, "query" | "place">,
  { now, wallClock }: Machine,
): PostgresSpending {
  const texts = new Map<string, string | null>();
  let clock: { readonly server: number; readonly now: number; readonly wall: number } | undefined;
  const note = (account: string, text: string | null, server: number) => {
    texts.set(account, text);
    clock = { server, now: now(), wall: wallClock() };
  };
  const latest = async (account: string) => {
    const [row] = await query<Omit<DayAnswer, "isBooked">>(reading, [account]);
    if (row !== undefined) note(account, row.before, row.serverTime);
    return dayIn(row?.before);
  };
  const dayIn = (text: string | null | undefined) => readSpentDay(text ?? undefined, `the record at ${place}`);
  const isKnown = (account: string) =>
    clock !== undefined && texts.has(account) && Math.max(now() - clock.now, wallClock() - clock.wall) < staleMs;
  /** Before the first answer there is no other clock. */
  const time = () => (clock === undefined ? wallClock() : clock.server + now() - clock.now);
  const bookAlone = async (change: DayParameters) => {
    const [row] = await query(alone, change);
    return dayAnswerIn(row ?? {});
  };
  return {
    now: time,
    latest,
    change: async ({ account, next }, write = bookAlone) => {
      if (!isKnown(account)) await latest(account);
      for (let isBooked = false; !isBooked;) {
        const before = texts.get(account) ?? null;
        const text = JSON.stringify(next(dayIn(before), time()));
        const answer = await write([account, text, before]);
        ({ isBooked } = answer);
        note(account, isBooked ? text : answer.before, answer.serverTime);
      }
    },
  };
}
