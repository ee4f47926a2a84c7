import { SmsError } from "../../errors.ts";
import { readRunEntries } from "../attempts.ts";
import { costsOf, costsSince, entriesSince, isCosts } from "../cost.ts";
import { type Entry, type HistoryKeeper, type HistoryReading, nothingUnread, type Unread } from "../history.ts";
import { newestFirst, readEntries } from "../newest.ts";
import { unreadableRun, unknownRun } from "../runs.ts";
import { actorHere } from "./actor.ts";
import { type Clock, clockHere, serverTime } from "./clock.ts";
import { type Database, noteChanges } from "./database.ts";
import { runInDatabase, runColumns, type RunRow } from "./run.ts";

const pageSize = 5000;

interface HistoryRow {
  readonly id: string;
  readonly at: Date;
  readonly entry: string;
}

interface RunSource extends RunRow {
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

export function postgresHistory(database: Database, clock: Clock): HistoryKeeper {
  const { query, transaction } = database;

  /** A machine whose clock was wrong has written its own time into the entry. */
  const entriesIn = (rows: readonly Omit<HistoryRow, "id">[], unread: Unread) =>
    rows.flatMap(({ at, entry }) => readEntries([entry], unread).map((line) => ({ ...line, at: at.toISOString() })));
  /** A run that could not be removed in the end still has its entries. */
  async function* pagesOfRows(runs: readonly number[], isOfSingles: boolean, unread: Unread) {
    let [at, id]: readonly [Date | string, string] = ["infinity", "0"];
    for (;;) {
      const rows: readonly HistoryRow[] = await query<HistoryRow>(
        `select id, at, entry from sms.history where (at, id) < ($1::timestamptz, $2::bigint)
          and (run is null or not ($5 or run = any($3::int[]) or exists (select from sms.runs where runs.id = history.run)))
          order by at desc, id desc limit $4`,
        [at, id, runs, pageSize, isOfSingles],
      );
      const last: HistoryRow | undefined = rows.at(-1);
      if (last === undefined) return;
      [at, id] = [last.at, last.id];
      yield entriesIn(rows, unread);
    }
  }
  async function* entriesOfRun(
    row: RunRow,
    unread: Unread,
    onEntries: (entries: readonly Entry[]) => void = () => {},
  ): AsyncGenerator<readonly Entry[], void> {
    const entries: Entry[] = [];
    let damage: unknown;
    try {
      await readRunEntries(runInDatabase(database, row), (entry) => entries.push(entry));
    } catch (error) {
      if (!(error instanceof SmsError) || error.errorCode !== "RUN_DAMAGED") throw error;
      damage = error;
    }
    const isThere = (await query("select from sms.runs where id = $1", [row.id])).length > 0;
    if (!isThere)
      yield entriesIn(
        await query("select at, entry from sms.history where run = $1 order by id desc", [row.id]),
        unread,
      );
    else if (damage !== undefined) unread.runs.push(unreadableRun(row.name, damage));
    else {
      onEntries(entries);
      yield entries.toReversed();
    }
  }
  async function sourcesOf(time: number, { unread = nothingUnread(), isOfSingles = false }: HistoryReading) {
    const [record] = await query<{ start: Date | null }>("select history_start as start from sms.record");
    const since = Math.max(time, record?.start?.getTime() ?? 0);
    const recent = `select ${runColumns}, written, entries, costs, costs_entries as "costsEntries" from sms.runs
      where header is not null and written >= $1 order by id`;
    const runs = isOfSingles ? [] : await query<RunSource>(recent, [new Date(since)]);
    const ids = runs.map(({ id }) => id);
    const singles = { upTo: Infinity, read: () => pagesOfRows(ids, isOfSingles, unread) };
    return { since, unread, runs, singles };
  }
  async function* newest(time: number, reading: HistoryReading = {}) {
    const { since, unread, runs, singles } = await sourcesOf(time, reading);
    const ofRuns = runs.map((run, at) => ({
      upTo: run.written.getTime(),
      read: () => {
        reading.onShare?.((runs.length - at) / runs.length);
        return entriesOfRun(run, unread);
      },
    }));
    yield* newestFirst([singles, ...ofRuns], since);
  }
  async function* costs(time: number, reading: HistoryReading = {}) {
    const { since, unread, runs, singles } = await sourcesOf(time, reading);
    const costsOfRun = ({ costs: sum, costsEntries, entries }: RunSource) =>
      costsEntries === entries && isCosts(sum) ? costsSince(sum, since) : undefined;
    const stale = runs.filter((run) => costsOfRun(run) === undefined);
    const sums: (readonly [number, string, string])[] = [];
    yield runs.flatMap((run) => costsOfRun(run) ?? []);
    for (const [at, run] of stale.entries()) {
      reading.onShare?.(at / stale.length);
      const keep = (entries: readonly Entry[]) => sums.push([run.id, run.entries, JSON.stringify(costsOf(entries))]);
      for await (const entries of entriesOfRun(run, unread, keep)) yield costsOf(entriesSince(entries, since));
    }
    for await (const entries of newestFirst([singles], since)) yield costsOf(entries);
    // The sums are only a cache, which a user who may only read does not have.
    const columns = [0, 1, 2].map((column) => sums.map((sum) => sum[column]));
    if (sums.length > 0) await query(keepingCosts, columns).catch(() => {});
  }
  const add = (at: string) =>
    `insert into sms.history (at, run, entry) select ${at}, $1, line from unnest($2::text[]) as lines (line)`;
  const atOfLine = "(line::json->>'at')::timestamptz";
  return {
    append: async (entry) => {
      const line = JSON.stringify({ ...entry, ...actorHere() });
      const at = serverTime("extract(epoch from (line::json->>'at')::timestamptz) * 1000", "$3");
      const adding = `with added as (${add(`to_timestamp(${at} / 1000.0)`)}) select opt_out_changes as changes from sms.record`;
      const [row] = await query<{ changes: string }>(adding, [null, [line], clockHere(clock)]);
      noteChanges(database.optOutChanges, row?.changes ?? "");
    },
    // The record itself has asked before.
    requireWritable: async () => {},
    newest,
    costs,
    keepRun: async (name) => {
      const [row] = await query<RunRow>(`select ${runColumns} from sms.runs where name = $1`, [name]);
      if (row === undefined) throw unknownRun(name);
      if (row.header === null) return;
      const lines: string[] = [];
      await readRunEntries(runInDatabase(database, row), (entry) => lines.push(JSON.stringify(entry)));
      await transaction(async (ask) => {
        await ask("delete from sms.history where run = $1", [row.id]);
        await ask(add(atOfLine), [row.id, lines]);
      });
    },
    prune: (before, onShare) =>
      transaction(async (ask) => {
        const start = new Date(before);
        await ask("update sms.record set history_start = greatest(history_start, $1)", [start]);
        const [row] = await ask<{ count: number }>(
          "with old as (delete from sms.history where at < $1 returning id) select count(*)::int as count from old",
          [start],
        );
        onShare(1);
        return row?.count ?? 0;
      }),
  };
}
