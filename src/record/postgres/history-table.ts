import { SmsError } from "../../errors.ts";
import { readRunEntries } from "../run-history.ts";
import { costsOf, costsSince, entriesSince, isCosts } from "../cost.ts";
import { type HistoryEntry, type HistoryKeeper, type HistoryReading, nothingUnread, type Unread } from "../history.ts";
import { newestFirst, readEntries } from "../newest.ts";
import { unreadableRun, unknownRun } from "../runs.ts";
import { actorHere } from "./actor.ts";
import type { Machine } from "../../host.ts";
import { clockHere, serverTime } from "./clock.ts";
import { type Database, noteChanges } from "./database.ts";
import { runInDatabase, runColumns, type RunRow } from "./run-rows.ts";

const pageSize = 5000;

interface HistoryRow {
  readonly id: string;
  readonly at: Date;
  readonly entry: string;
}

interface RunRowToRead extends RunRow {
  readonly written: Date;
  readonly entries: string;
  readonly costs: unknown;
  readonly costsEntries: string | null;
}

/** No spend waits for a process that sends, and none makes a process wait. */
const keepingCosts = `
with sums as (select * from unnest($1::integer[], $2::bigint[], $3::jsonb[]) as sums (run, entries, costs)),
free as (select id from sms.runs where id = any($1) for no key update skip locked)
update sms.runs set costs = sums.costs, costs_entries = sums.entries
from sums join free on free.id = sums.run where runs.id = sums.run and runs.entries = sums.entries`;

/** A run that could not be removed in the end still has its entries. */
const page = `
select id, at, entry from sms.history where (at, id) < ($1::timestamptz, $2::bigint)
  and (run is null or not (run = any($3::int[]) or exists (select from sms.runs where runs.id = history.run)))
  order by at desc, id desc limit ${pageSize}`;

const recentRuns = `
select ${runColumns}, written, entries, costs, costs_entries as "costsEntries" from sms.runs
  where header is not null and written >= $1 order by id`;

const runByName = `select ${runColumns} from sms.runs where name = $1`;

const ofLostRun = "select at, entry from sms.history where run = $1 order by id desc";

const adding = (at: string) =>
  `insert into sms.history (at, run, entry) select ${at}, $1, line from unnest($2::text[]) as lines (line)`;

const addRun = adding("(line::json->>'at')::timestamptz");

const timeOfLine = serverTime("extract(epoch from (line::json->>'at')::timestamptz) * 1000", "$3");

const addOne = `
with added as (${adding(`to_timestamp(${timeOfLine} / 1000.0)`)}) select opt_out_changes as changes from sms.record`;

const startLater = "update sms.record set history_start = greatest(history_start, $1)";

const deleteBefore =
  "with old as (delete from sms.history where at < $1 returning id) select count(*)::int as count from old";

export function postgresHistory(database: Database, machine: Machine): HistoryKeeper {
  const { query, transaction } = database;
  return {
    append: async (entry) => {
      const line = JSON.stringify({ ...entry, ...actorHere() });
      const [row] = await query<{ changes: string }>(addOne, [null, [line], clockHere(machine)]);
      noteChanges(database.optOutChanges, row?.changes ?? "");
    },
    // The record itself has asked before.
    requireWritable: async () => {},
    newest: (since, reading) => newest(database, since, reading),
    costs: (since, reading) => costs(database, since, reading),
    keepRun: async (name) => {
      const [row] = await query<RunRow>(runByName, [name]);
      if (row === undefined) throw unknownRun(name);
      if (row.header === null) return;
      const lines: string[] = [];
      await readRunEntries(runInDatabase(database, row), (entry) => lines.push(JSON.stringify(entry)));
      await transaction(async (ask) => {
        await ask("delete from sms.history where run = $1", [row.id]);
        await ask(addRun, [row.id, lines]);
      });
    },
    prune: (before, onShare) =>
      transaction(async (ask) => {
        const start = new Date(before);
        await ask(startLater, [start]);
        const [row] = await ask<{ count: number }>(deleteBefore, [start]);
        onShare(1);
        return row?.count ?? 0;
      }),
  };
}

async function* newest(database: Database, time: number, reading: HistoryReading) {
  const { since, unread, runs, singles } = await sourcesOf(database, time, reading);
  const ofRuns = runs.map((run, at) => ({
    upTo: run.written.getTime(),
    read: () => {
      reading.onShare?.((runs.length - at) / runs.length);
      return entriesOfRun(database, run, unread, undefined, reading.to);
    },
  }));
  yield* newestFirst([singles, ...ofRuns], since);
}

async function* costs(database: Database, time: number, reading: HistoryReading) {
  const { since, unread, runs, singles } = await sourcesOf(database, time, reading);
  const costsOfRun = ({ costs: sum, costsEntries, entries }: RunRowToRead) =>
    costsEntries === entries && isCosts(sum) ? costsSince(sum, since) : undefined;
  const stale = runs.filter((run) => costsOfRun(run) === undefined);
  const sums: (readonly [number, string, string])[] = [];
  yield runs.flatMap((run) => costsOfRun(run) ?? []);
  for (const [at, run] of stale.entries()) {
    reading.onShare?.(at / stale.length);
    const keep = (entries: readonly HistoryEntry[]) =>
      sums.push([run.id, run.entries, JSON.stringify(costsOf(entries))]);
    for await (const entries of entriesOfRun(database, run, unread, keep)) yield costsOf(entriesSince(entries, since));
  }
  for await (const entries of newestFirst([singles], since)) yield costsOf(entries);
  // The sums are only a cache, which a user who may only read does not have.
  const columns = [0, 1, 2].map((column) => sums.map((sum) => sum[column]));
  if (sums.length > 0) await database.query(keepingCosts, columns).catch(() => {});
}

async function sourcesOf(database: Database, time: number, { unread = nothingUnread() }: HistoryReading) {
  const { query } = database;
  const [record] = await query<{ start: Date | null }>("select history_start as start from sms.record");
  const since = Math.max(time, record?.start?.getTime() ?? 0);
  const runs = await query<RunRowToRead>(recentRuns, [new Date(since)]);
  const ids = runs.map(({ id }) => id);
  const singles = { upTo: Infinity, read: () => pagesOfRows(database, ids, unread) };
  return { since, unread, runs, singles };
}

async function* pagesOfRows({ query }: Database, runs: readonly number[], unread: Unread) {
  let [at, id]: readonly [Date | string, string] = ["infinity", "0"];
  for (;;) {
    const rows: readonly HistoryRow[] = await query<HistoryRow>(page, [at, id, runs]);
    const last: HistoryRow | undefined = rows.at(-1);
    if (last === undefined) return;
    [at, id] = [last.at, last.id];
    yield entriesIn(rows, unread);
  }
}

async function* entriesOfRun(
  database: Database,
  row: RunRow,
  unread: Unread,
  onEntries: (entries: readonly HistoryEntry[]) => void = () => {},
  to?: string,
): AsyncGenerator<readonly HistoryEntry[], void> {
  const { query } = database;
  const entries: HistoryEntry[] = [];
  let damage: unknown;
  try {
    await readRunEntries(runInDatabase(database, row), (entry) => entries.push(entry), to);
  } catch (error) {
    if (!(error instanceof SmsError) || error.errorCode !== "RUN_DAMAGED") throw error;
    damage = error;
  }
  const isThere = (await query("select from sms.runs where id = $1", [row.id])).length > 0;
  if (!isThere) yield entriesIn(await query(ofLostRun, [row.id]), unread);
  else if (damage !== undefined) unread.runs.push(unreadableRun(row.name, damage));
  else {
    onEntries(entries);
    yield entries.toReversed();
  }
}

/** A machine whose clock was wrong has written its own time into the entry. */
function entriesIn(rows: readonly Omit<HistoryRow, "id">[], unread: Unread) {
  return rows.flatMap(({ at, entry }) =>
    readEntries([entry], unread).map((line) => ({ ...line, at: at.toISOString() })),
  );
}
