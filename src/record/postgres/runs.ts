import { interruption, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { encodeEntry } from "../journal-entry.ts";
import { damaged, readMessage, summarizePlan } from "../plan.ts";
import { messageHash, type MessageSet } from "../message-set.ts";
import { type Pairs, reachesPhones, RepeatCount, repeatMs } from "../repeats.ts";
import { readPlan } from "../run-lines.ts";
import { runWriter } from "../run-writer.ts";
import {
  checkRunName,
  type OpenRun,
  type ListedRun,
  type RunOwner,
  type RunKeeper,
  type RunWriter,
  unreadableRun,
  notRecorded,
  unknownRun,
} from "../runs.ts";
import { actorHere } from "./actor.ts";
import { type Clock, clockHere, serverTime } from "./clock.ts";
import { type Database, isAlive, lockCall, newToken, noteChanges, ownerName, type Query } from "./database.ts";
import { type Lease, openLease } from "./lease.ts";
import { pagesOfPlan, placesOf, runInDatabase, runColumns, type RunRow } from "./run.ts";

type Machine = Pick<Host, "interruption" | "now" | "sleep" | "wallClock">;

/** Another command may take so long to begin a run. */
const beginMs = 10_000;

/** An owner beats so often; after the other times, the owner may be stopped or its machine may have vanished. */
const beatMs = 10_000;
const missingMs = 12_000;
const silentMs = 40_000;
const noticedMs = 75_000;

/** The server may take so long to notice that a process of the same network ended. */
const lingerMs = 1000;

/** Tokens count from 1, and a run that nobody has had has 0. */
const aloneLock = -1;

const lost = "another command has the run now, or the same messages";

/** A timeline changes when a replica takes over or a backup is restored: then the last commits may be gone. */
const timeline = `concat_ws('.', (select system_identifier from pg_control_system()), substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
  (select oid from pg_database where datname = current_database()), 'sms.runs'::regclass::oid)`;

/** Nobody may have taken the run, nor sent any of its messages, while the session was cut off. */
const oursAlone = `select from sms.runs as run where id = $1 and token = $2 and timeline = ${timeline} and not exists (
  select from sms.runs as other where other.id <> run.id and header is not null
    and (written > run.seen or ${isAlive("other.token")})
    and exists (select from sms.plan as own join sms.plan as their using (message) where own.run = run.id and their.run = other.id)
  ) for update of run`;

interface Leased {
  readonly id: number;
  readonly name: string;
  readonly lease: Lease;
  /** This process recorded intents for these, and no outcomes. */
  readonly open: Set<number>;
}

interface OwnerRow {
  readonly owner: string;
  readonly alive: boolean;
  readonly silence: number;
}

type LeaseRow = RunRow & OwnerRow & { readonly replaced: boolean };

const leaseColumns = `${runColumns}, ${ownerName}, header is not null and timeline <> ${timeline} as replaced, ${isAlive("token")} as alive,
  coalesce(extract(epoch from clock_timestamp() - seen)::float8 * 1000, 'infinity') as silence`;

export function postgresRuns(database: Database, machine: Machine): RunKeeper {
  const { query, transaction, place, owner: self } = database;
  let hasTurn = false;

  const find = async (name: string) => {
    checkRunName(name);
    const [row] = await query<LeaseRow>(`select ${leaseColumns} from sms.runs where name = $1`, [name]);
    return row;
  };
  const read = async (name: string) => {
    const row = await find(name);
    return row === undefined || row.header === null ? undefined : runInDatabase(database, row);
  };
  const attempt = (name: string, isRemoved: boolean): Promise<Leased | LeaseRow> =>
    transaction(async (ask) => {
      // Two commands that clean up for each other must not wait for each other, so this locks the row.
      const [row] = await ask<LeaseRow>(
        `insert into sms.runs (name) values ($1) on conflict (name) do update set name = excluded.name returning ${leaseColumns}`,
        [name],
      );
      if (row === undefined) throw new Error("the server returned no row");
      if (row.replaced && !isRemoved) throw replaced(name);
      if (row.alive) return row;
      // Nobody will send the numbers and texts that killed commands had planned.
      await ask(
        `delete from sms.runs where id in (select id from sms.runs
          where header is null and id <> $1 and not ${isAlive("token")} for update skip locked)`,
        [row.id],
      );
      const { id } = row;
      const open = new Set<number>();
      const lease = openLease(
        database,
        await putToken(ask, id),
        async (again, was) => {
          // A run that was cut off in mid-run stops like an unlocked one; and the turn has ended with the session.
          if (open.size > 0 || hasTurn) return undefined;
          // Another command may begin a run now, so this waits until that is written.
          await again(`select ${lockCall("pg_advisory_xact_lock", "$1")}`, [aloneLock]);
          return (await again(oursAlone, [id, was])).length === 0 ? undefined : putToken(again, id);
        },
        () => notRecorded(`record run ${name}`, new Error(lost)),
      );
      return { id, name, lease, open };
    });
  const putToken = async (ask: Query, id: number): Promise<string> => {
    const token = await newToken(ask);
    await ask(
      `update sms.runs set token = $2, owner = $3, seen = clock_timestamp(), timeline = ${timeline},
        owners = owners || jsonb_build_object($2::bigint::text, $4::jsonb) where id = $1`,
      [id, token, self, JSON.stringify(actorHere())],
    );
    return token;
  };
  const takeLease = async (name: string, isRemoved: boolean, onWait?: (text: string) => void): Promise<Leased> => {
    const { stop } = machine.interruption();
    const deadline = machine.now() + lingerMs;
    for (let isSaid = false; ;) {
      const row = await attempt(name, isRemoved);
      if ("lease" in row) return row;
      const isMissing = onWait !== undefined && row.silence >= missingMs && row.silence < noticedMs;
      if (!isMissing && machine.now() >= deadline) throw busy(name, row);
      if (isMissing && !isSaid) onWait(missingText(name, row));
      isSaid ||= isMissing;
      await machine.sleep(isMissing ? 500 : 100, stop);
      if (stop.aborted) throw interruption(stop, "unsent");
    }
  };
  const ownerOf = (row: OwnerRow | undefined): RunOwner | undefined =>
    row?.alive ? { process: row.owner, isSure: row.silence < silentMs } : undefined;

  return {
    place,
    now: async () => {
      const [row] = await query<{ now: Date }>("select clock_timestamp() as now");
      return row?.now.getTime() ?? machine.now();
    },
    list: async () => {
      const rows = await query<RunRow>(`select ${runColumns} from sms.runs where header is not null order by id`);
      return rows.map((row): ListedRun => {
        try {
          return { kind: "run", run: runInDatabase(database, row) };
        } catch (error) {
          return { kind: "unreadable", ...unreadableRun(row.name, error) };
        }
      });
    },
    read,
    repeats: async ({ messages, baseUrl, name, now, since = now - repeatMs }) => {
      const count = new RepeatCount();
      const rows = await query<RunRow & { readonly alive: boolean; readonly planned: number; readonly lacks: boolean }>(
        `select *, (select count(*)::int from sms.plan where run = id) as planned,
          (select count(*) from sms.journal where run = id) < entries as lacks
          from (select ${runColumns}, entries, written, ${isAlive("token")} as alive from sms.runs
            where header is not null and name <> $1) as begun where alive or written > $2 order by id`,
        [name, new Date(since)],
      );
      const runs = rows
        .map((row) => ({ ...row, run: runInDatabase(database, row) }))
        .filter(({ run }) => reachesPhones(run.header, baseUrl));
      const pairs = await pairsIn(database, runs, messages);
      for (const { id, name: other, run, alive, planned, lacks } of runs) {
        if (lacks || planned !== run.header.plan.messages)
          throw damaged({ name: other }, `run ${other} at ${place} has lost rows of its plan or its journal`);
        const pairsOfRun = pairs.get(id);
        if (pairsOfRun !== undefined) await count.add(run, pairsOfRun, alive, since);
      }
      return count.result();
    },
    open: async (name, onWait) =>
      openRun(database, machine, await takeLease(checkRunName(name), false, onWait), () => read(name)),
    owner: async (name) => ownerOf(await find(name)),
    alone: async (work) => {
      await takeTurn(database, machine);
      hasTurn = true;
      try {
        return await work();
      } finally {
        hasTurn = false;
        // The lock ends with the session.
        await query(`select ${lockCall("pg_advisory_unlock", "$1")}`, [aloneLock]).catch(() => {});
      }
    },
    remove: async (name, confirm) => {
      if ((await find(name)) === undefined) throw unknownRun(name);
      const leased = await takeLease(name, true);
      try {
        await confirm();
        await leased.lease.query("delete from sms.runs where id = $1 and token = $2", leased.id);
      } finally {
        await giveBack(leased);
      }
    },
    unlock: async (name, confirm) => {
      const row = await find(name);
      if (row === undefined) throw unknownRun(name);
      const owner = ownerOf(row);
      if (owner === undefined && !row.replaced)
        throw usageError("NOT_LOCKED", `run ${name} is not locked`, `\`sms runs show ${name}\` says what is left`);
      if (owner?.isSure) throw busy(name, row);
      await confirm(owner?.process ?? "the server before a replica took over");
      // From here on, no statement of that owner does anything.
      const release = `update sms.runs set token = nextval('sms.token'), owner = null, timeline = ${timeline} where id = $1`;
      await query(release, [row.id]);
    },
  };
}

/** A statement has the hashes of its messages in memory. */
const comparedAtOnce = 50_000;

async function pairsIn(
  { query }: Database,
  runs: readonly RunRow[],
  messages: MessageSet,
): Promise<ReadonlyMap<number, Pairs>> {
  const pairs = new Map<number, Pairs>();
  const ids = runs.map(({ id }) => id);
  for (const { hashes, indexes } of ids.length === 0 ? [] : messages.batches(comparedAtOnce)) {
    const rows = await query<{ run: number; theirs: number[]; ours: number[] }>(
      `select run, array_agg(plan.index) as theirs, array_agg(asked.index) as ours
        from sms.plan join unnest($2::uuid[], $3::integer[]) as asked (message, index) using (message)
        where run = any($1::integer[]) group by run`,
      [ids, hashes, indexes],
    );
    for (const { run, theirs, ours } of rows) {
      const all = pairs.get(run) ?? { theirs: [], ours: [] };
      pairs.set(run, all);
      for (const index of theirs) all.theirs.push(index);
      for (const index of ours) all.ours.push(index);
    }
  }
  return pairs;
}

function missingText(name: string, row: OwnerRow): string {
  const time = `${Math.round(row.silence / 1000)} s`;
  return `${row.owner} works on run ${name} and has said nothing for ${time}: waiting until the database knows whether it is gone, up to a minute.`;
}

function busy(name: string, row: OwnerRow): Error {
  return usageError(
    "RUN_BUSY",
    `${row.owner} works on run ${name}`,
    row.silence >= silentMs
      ? `it is connected and says nothing; if you know that it is gone, \`sms runs unlock ${name}\``
      : "wait until it ends, or stop it: what it has sent is recorded",
  );
}

function replaced(name: string): Error {
  return usageError(
    "RECORD_REPLACED",
    `a replica took over the record of run ${name}, or a backup was restored: it may lack the last messages that were sent`,
    `compare \`sms runs show ${name}\` with the service's own list; \`sms runs unlock ${name}\` lets it go on`,
  );
}

async function takeTurn({ query }: Database, { now, sleep }: Machine): Promise<void> {
  const deadline = now() + beginMs;
  for (;;) {
    const lock = `select ${lockCall("pg_try_advisory_lock", "$1")} as "isOurs"`;
    const [row] = await query<{ isOurs: boolean }>(lock, [aloneLock]);
    if (row?.isOurs) return;
    if (now() >= deadline) throw usageError("LOCKED", "another command begins a run", "give the command again");
    await sleep(50);
  }
}

function giveBack({ id, lease }: Leased): Promise<void> {
  return lease.release("delete from sms.runs where id = $1 and token = $2 and header is null", id);
}

function openRun(database: Database, clock: Clock, leased: Leased, read: OpenRun["read"]): OpenRun {
  const { id, name, lease } = leased;
  const change = async (statement: string, values: readonly unknown[] = []) => {
    const changed = await lease.query(statement, id, ...values);
    if (changed.length === 0) throw notRecorded(`record run ${leased.name}`, new Error(lost));
  };
  const places = placesOf(leased, database.place);
  const beat = setInterval(() => {
    lease.query("update sms.runs set seen = clock_timestamp() where id = $1 and token = $2", id).catch(() => {});
  }, beatMs).unref();
  return {
    name,
    read,
    plan: async (messages) => {
      await change(
        `with ours as (update sms.runs set seen = clock_timestamp() where id = $1 and token = $2 returning id),
          old as (delete from sms.plan using ours where run = ours.id) select id from ours`,
      );
      let next = 0;
      return summarizePlan(messages, async (text) => {
        const lines = text.split("\n").slice(0, -1);
        if (lines.length === 0) return;
        await change(
          `with ours as (update sms.runs set seen = clock_timestamp() where id = $1 and token = $2 returning id),
            added as (insert into sms.plan (run, index, line, message)
              select ours.id, $3::int + number - 1, line, message
                from ours, unnest($4::text[], $5::uuid[]) with ordinality as lines (line, message, number))
          select id from ours`,
          [next, lines, lines.map((line, at) => messageHash(readMessage(line, next + at, places)))],
        );
        next += lines.length;
      });
    },
    readPlan: (isWanted) => readPlan(pagesOfPlan(database, id, places), places, isWanted),
    begin: (header, repeated = []) => {
      const indexes = [...repeated];
      const line = indexes.length > 0 ? encodeEntry({ kind: "repeated", indexes }).trimEnd() : null;
      return change(
        `with ours as (update sms.runs set header = $3, written = now(),
              entries = case when $4::text is null then 0 else 1 end,
              owners = jsonb_build_object($2::bigint::text, owners->$2::bigint::text)
            where id = $1 and token = $2 returning id),
          first as (insert into sms.journal (run, entry, token, line)
            select id, 0, $2, $4::text from ours where $4::text is not null)
        select id from ours`,
        [JSON.stringify(header), line],
      );
    },
    openWriter: async () => openWriter(database, clock, leased),
    release: async () => {
      clearInterval(beat);
      await giveBack(leased);
    },
  };
}

/** The lines go in only with the row of the run: so a new token waits for earlier statements and stops later ones. */
function openWriter({ optOutChanges }: Database, clock: Clock, { id, name, lease, open }: Leased): RunWriter {
  optOutChanges.isAskedByIntents = true;
  const write = async (lines: readonly string[]) => {
    const [row] = await lease.query(
      `with ours as (
      update sms.runs set written = now(), seen = now(), entries = entries + cardinality($3::text[])
      where id = $1 and token = $2 returning id, entries - cardinality($3::text[]) as before
    ), added as (
      insert into sms.journal (run, entry, token, line)
      select ours.id, ours.before + number - 1, $2, case when line not like '["time",%' then line
        else '["time",' || ${serverTime("trim(both '[time\",]' from line)::bigint", "$4")} || ']' end from ours, unnest($3::text[]) with ordinality as lines (line, number)
    ) select (select opt_out_changes from sms.record) as changes from ours`,
      id,
      lines.map((line) => line.trimEnd()),
      clockHere(clock),
    );
    if (row === undefined) throw new Error(lost);
    noteChanges(optOutChanges, String(row["changes"]));
  };
  const { record, close } = runWriter({ what: `record run ${name}`, write });
  return {
    record: async (entry, at) => {
      if (entry.kind === "released") for (const index of entry.indexes) open.delete(index);
      if ("index" in entry) open.delete(entry.index);
      await record(entry, at);
      if (entry.kind === "intent") for (const index of entry.indexes) open.add(index);
    },
    close,
  };
}
