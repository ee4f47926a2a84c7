import { interruptionError, usageError } from "../../errors.ts";
import type { Machine } from "../../host.ts";
import { damaged } from "../plan.ts";
import type { MessageSet } from "../message-set.ts";
import { type Pairs, reachesPhones, RepeatCount, repeatMs } from "../repeats.ts";
import {
  checkRunName,
  type ListedRun,
  type Repeats,
  type RepeatQuestion,
  type RunOwner,
  type RunKeeper,
  unreadableRun,
  notRecorded,
  unknownRun,
} from "../runs.ts";
import { actorHere } from "./actor.ts";
import { type Database, isAlive, lockCall, newToken, ownerName, type Query } from "./database.ts";
import { openLease } from "./lease.ts";
import { giveBack, type Leased, lost, openRun } from "./open-run.ts";
import { placesOf, runInDatabase, runColumns, type RunRow } from "./run-rows.ts";

/** Another command may take so long to begin a run. */
const beginMs = 10_000;

/** After these times, the owner may be stopped or its machine may have vanished. */
const missingMs = 12_000;
const silentMs = 40_000;
const noticedMs = 75_000;

/** The server may take so long to notice that a process of the same network ended. */
const lingerMs = 1000;

/** Tokens count from 1, and a run that nobody has had has 0. */
const aloneLock = -1;

/** A timeline changes when a replica takes over or a backup is restored: then the last commits may be gone. */
const timeline = `concat_ws('.', (select system_identifier from pg_control_system()), substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8),
  (select oid from pg_database where datname = current_database()), 'sms.runs'::regclass::oid)`;

/** Nobody may have taken the run, nor sent any of its messages, while the session was cut off. */
const oursAlone = `select from sms.runs as run where id = $1 and token = $2 and timeline = ${timeline} and not exists (
  select from sms.runs as other where other.id <> run.id and header is not null
    and (written > run.seen or ${isAlive("other.token")})
    and exists (select from sms.plan as own join sms.plan as their using (message) where own.run = run.id and their.run = other.id)
  ) for update of run`;

const leaseColumns = `${runColumns}, ${ownerName}, header is not null and timeline <> ${timeline} as replaced, ${isAlive("token")} as alive,
  coalesce(extract(epoch from clock_timestamp() - seen)::float8 * 1000, 'infinity') as silence`;

const runByName = `select ${leaseColumns} from sms.runs where name = $1`;

const begunRuns = `select ${runColumns} from sms.runs where header is not null order by id`;

/** Two commands that clean up for each other must not wait for each other, so this locks the row. */
const lockedRow = `insert into sms.runs (name) values ($1) on conflict (name) do update set name = excluded.name
  returning ${leaseColumns}`;

/** Nobody will send the numbers and texts that killed commands had planned. */
const dropPlanned = `delete from sms.runs where id in (select id from sms.runs
  where header is null and id <> $1 and not ${isAlive("token")} for update skip locked)`;

const takeToken = `update sms.runs set token = $2, owner = $3, seen = clock_timestamp(), timeline = ${timeline},
  owners = owners || jsonb_build_object($2::bigint::text, $4::jsonb) where id = $1`;

/** From here on, no statement of the owner does anything. */
const freeOfOwner = `update sms.runs set token = nextval('sms.token'), owner = null, timeline = ${timeline} where id = $1`;

const removal = "delete from sms.runs where id = $1 and token = $2";

const recentRuns = `select *, (select count(*)::int from sms.plan where run = id) as planned,
  (select count(*) from sms.journal where run = id) < entries as lacks
  from (select ${runColumns}, entries, written, ${isAlive("token")} as alive from sms.runs
    where header is not null and name <> $1) as begun where alive or written > $2 order by id`;

const pairsOfRuns = `select run, array_agg(plan.index) as theirs, array_agg(asked.index) as ours
  from sms.plan join unnest($2::uuid[], $3::integer[]) as asked (message, index) using (message)
  where run = any($1::integer[]) group by run`;

interface OwnerRow {
  readonly owner: string;
  readonly alive: boolean;
  readonly silence: number;
}

type LeaseRow = RunRow & OwnerRow & { readonly replaced: boolean };

interface RecentRow extends RunRow {
  readonly alive: boolean;
  readonly planned: number;
  readonly lacks: boolean;
}

/** One process begins a run at a time. */
interface Turn {
  isOurs: boolean;
}

export function postgresRuns(database: Database, machine: Machine): RunKeeper {
  const { query } = database;
  const turn: Turn = { isOurs: false };
  const find = async (name: string) => {
    const [row] = await query<LeaseRow>(runByName, [checkRunName(name)]);
    return row;
  };
  const read = async (name: string) => {
    const row = await find(name);
    return row === undefined || row.header === null ? undefined : runInDatabase(database, row);
  };
  const requireRow = async (name: string) => {
    const row = await find(name);
    if (row === undefined) throw unknownRun(name);
    return row;
  };
  const take = (name: string, isRemoved: boolean, onWait?: (text: string) => void) =>
    takeLease(() => attempt(database, turn, name, isRemoved), name, machine, onWait);
  return {
    now: async () => {
      const [row] = await query<{ now: Date }>("select clock_timestamp() as now");
      return row?.now.getTime() ?? machine.now();
    },
    list: async () => (await query<RunRow>(begunRuns)).map((row) => listed(database, row)),
    read,
    repeats: (question) => repeatsIn(database, question),
    open: async (name, onWait) =>
      openRun(database, machine, await take(checkRunName(name), false, onWait), () => read(name)),
    owner: async (name) => ownerOf(await find(name)),
    alone: async (work) => {
      await takeTurn(database, machine);
      turn.isOurs = true;
      try {
        return await work();
      } finally {
        turn.isOurs = false;
        // The lock ends with the session.
        await query(`select ${lockCall("pg_advisory_unlock", "$1")}`, [aloneLock]).catch(() => {});
      }
    },
    remove: async (name, confirm) => {
      await requireRow(name);
      const leased = await take(name, true);
      try {
        await confirm();
        await leased.lease.query(removal, leased.id);
      } finally {
        await giveBack(leased);
      }
    },
    unlock: async (name, confirm) => {
      const row = await requireRow(name);
      const owner = ownerOf(row);
      if (owner === undefined && !row.replaced)
        throw usageError("NOT_LOCKED", `run ${name} is not locked`, `\`sms runs show ${name}\` says what is left`);
      if (owner?.isSure) throw busy(name, row);
      await confirm(owner?.process ?? "the server before a replica took over");
      await query(freeOfOwner, [row.id]);
    },
  };
}

function listed(database: Database, row: RunRow): ListedRun {
  try {
    return { kind: "run", run: runInDatabase(database, row) };
  } catch (error) {
    return { kind: "unreadable", ...unreadableRun(row.name, error) };
  }
}

function ownerOf(row: OwnerRow | undefined): RunOwner | undefined {
  return row?.alive ? { process: row.owner, isSure: row.silence < silentMs } : undefined;
}

function attempt(database: Database, turn: Turn, name: string, isRemoved: boolean): Promise<Leased | LeaseRow> {
  return database.transaction(async (ask) => {
    const [row] = await ask<LeaseRow>(lockedRow, [name]);
    if (row === undefined) throw new Error("the server returned no row");
    if (row.replaced && !isRemoved) throw replaced(name);
    if (row.alive) return row;
    await ask(dropPlanned, [row.id]);
    const { id } = row;
    const open = new Set<number>();
    const retake = async (again: Query, was: string) => {
      // A run that was cut off in mid-run stops like an unlocked one; and the turn has ended with the session.
      if (open.size > 0 || turn.isOurs) return undefined;
      // Another command may begin a run now, so this waits until that is written.
      await again(`select ${lockCall("pg_advisory_xact_lock", "$1")}`, [aloneLock]);
      return (await again(oursAlone, [id, was])).length === 0 ? undefined : putToken(again, id, database.owner);
    };
    const isLost = () => notRecorded(`record run ${name}`, new Error(lost));
    const lease = openLease(database, await putToken(ask, id, database.owner), retake, isLost);
    return { id, name, lease, open };
  });
}

async function putToken(ask: Query, id: number, owner: string): Promise<string> {
  const token = await newToken(ask);
  await ask(takeToken, [id, token, owner, JSON.stringify(actorHere())]);
  return token;
}

async function takeLease(
  tryOnce: () => Promise<Leased | LeaseRow>,
  name: string,
  { interruption, now, sleep }: Machine,
  onWait: ((text: string) => void) | undefined,
): Promise<Leased> {
  const { stop } = interruption();
  const deadline = now() + lingerMs;
  for (let isSaid = false; ;) {
    const row = await tryOnce();
    if ("lease" in row) return row;
    const isMissing = onWait !== undefined && row.silence >= missingMs && row.silence < noticedMs;
    if (!isMissing && now() >= deadline) throw busy(name, row);
    if (isMissing && !isSaid) onWait(missingText(name, row));
    isSaid ||= isMissing;
    await sleep(isMissing ? 500 : 100, stop);
    if (stop.aborted) throw interruptionError(stop, "unsent");
  }
}

async function repeatsIn(
  database: Database,
  { messageSet, baseUrl, name, now, since = now - repeatMs }: RepeatQuestion,
): Promise<Repeats> {
  const count = new RepeatCount();
  const rows = await database.query<RecentRow>(recentRuns, [name, new Date(since)]);
  const runs = rows
    .map((row) => ({ ...row, run: runInDatabase(database, row) }))
    .filter(({ run }) => reachesPhones(run.header, baseUrl));
  const pairs = await pairsIn(database, runs, messageSet);
  for (const { id, name: other, run, alive, planned, lacks } of runs) {
    if (lacks || planned !== run.header.plan.messages)
      throw damaged(
        { name: other },
        `${placesOf({ name: other }, database.place).plan} has lost rows of its plan or its journal`,
      );
    const pairsOfRun = pairs.get(id);
    if (pairsOfRun !== undefined) await count.add(run, pairsOfRun, alive, since);
  }
  return count.result();
}

/** A statement has the hashes of its messages in memory. */
const comparedAtOnce = 50_000;

async function pairsIn(
  { query }: Database,
  runs: readonly RunRow[],
  messageSet: MessageSet,
): Promise<ReadonlyMap<number, Pairs>> {
  const pairs = new Map<number, Pairs>();
  const ids = runs.map(({ id }) => id);
  for (const { hashes, indexes } of ids.length === 0 ? [] : messageSet.batches(comparedAtOnce)) {
    const rows = await query<{ run: number; theirs: number[]; ours: number[] }>(pairsOfRuns, [ids, hashes, indexes]);
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
