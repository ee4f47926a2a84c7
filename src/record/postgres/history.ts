import { SmsError } from "../../errors.ts";
import { parseJson } from "../../json.ts";
import { readRunEntries } from "../attempts.ts";
import { type Entry, type HistoryKeeper, isEntry, type OnShare, passOutcomes, type Unread } from "../history.ts";
import { type UnreadableRun, unreadableRun } from "../runs.ts";
import { unknownRun } from "../header.ts";
import { actorHere } from "./actor.ts";
import { type Database, noteChanges, type Query } from "./database.ts";
import { runInDatabase, runColumns, type RunRow } from "./run.ts";

const pageSize = 5000;

/** The history in a database: a row for each single message and each of a removed run; the rest is read from the runs. */
export function postgresHistory(database: Database): HistoryKeeper {
  const { query, transaction } = database;

  /** Reads rows and runs as they were at one moment: a run that is removed meanwhile is in one of them, not in neither. */
  const read = (asked: number, onShare: OnShare, onEntry: (entry: Entry) => void): Promise<Unread> =>
    transaction(async (ask) => {
      await ask("set transaction isolation level repeatable read, read only");
      const [record] = await ask<{ start: Date | null }>("select history_start as start from sms.record");
      const since = new Date(Math.max(asked, record?.start?.getTime() ?? 0));
      const start = since.toISOString();
      const outcomes = passOutcomes(onEntry);
      const pass = (entry: Entry) => {
        if (entry.at >= start) outcomes.take(entry);
      };
      const broken = await readRows(ask, since, pass);
      onShare(0.5);
      const runs = await ask<RunRow>(
        `select ${runColumns} from sms.runs where header is not null and written >= $1 order by id`,
        [since],
      );
      const unread: UnreadableRun[] = [];
      for (const [at, row] of runs.entries()) {
        try {
          await readRunEntries(runInDatabase({ ...database, query: ask }, row), pass);
        } catch (error) {
          if (!(error instanceof SmsError) || error.errorCode !== "RUN_DAMAGED") throw error;
          unread.push(unreadableRun(row.name, error));
        }
        onShare(0.5 + (at + 1) / runs.length / 2);
      }
      outcomes.end();
      return { broken, runs: unread };
    });
  const readRows = async (ask: Query, since: Date, pass: (entry: Entry) => void): Promise<number> => {
    let broken = 0;
    for (let last = "0"; ;) {
      // A run that could not be removed in the end still has its entries.
      const rows = await ask<{ id: string; entry: string }>(
        `select id, entry from sms.history where id > $1 and at >= $2
          and (run is null or not exists (select from sms.runs where runs.id = history.run)) order by id limit $3`,
        [last, since, pageSize],
      );
      for (const { entry: text } of rows) {
        const entry = parseJson(text);
        if (isEntry(entry)) pass(entry);
        else broken++;
      }
      const end = rows.at(-1);
      if (end === undefined) return broken;
      last = end.id;
    }
  };
  const add =
    "insert into sms.history (at, run, entry) select (line::json->>'at')::timestamptz, $1, line from unnest($2::text[]) as lines (line)";
  return {
    append: async (entry) => {
      const line = JSON.stringify({ ...entry, ...actorHere() });
      const [row] = await query<{ changes: string }>(
        `with added as (${add}) select opt_out_changes as changes from sms.record`,
        [null, [line]],
      );
      noteChanges(database.optOutChanges, row?.changes ?? "");
    },
    // The record as a whole was asked before.
    requireWritable: async () => {},
    each: (since, onEntry, onShare) => read(since, onShare, onEntry),
    eachRecent: async (since, onEntry) => {
      const rows = await query<{ entry: string }>(
        `select entry from sms.history, sms.record
          where run is null and at >= greatest($1, coalesce(history_start, $1)) order by id`,
        [new Date(since)],
      );
      const outcomes = passOutcomes(onEntry);
      for (const { entry: text } of rows) {
        const entry = parseJson(text);
        if (isEntry(entry)) outcomes.take(entry);
      }
      outcomes.end();
    },
    keepRun: async (name) => {
      const [row] = await query<RunRow>(`select ${runColumns} from sms.runs where name = $1`, [name]);
      if (row === undefined) throw unknownRun(name);
      if (row.header === null) return;
      const lines: string[] = [];
      await readRunEntries(runInDatabase(database, row), (entry) => lines.push(JSON.stringify(entry)));
      await transaction(async (ask) => {
        await ask("delete from sms.history where run = $1", [row.id]);
        await ask(add, [row.id, lines]);
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
