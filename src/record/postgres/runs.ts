import { usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { changesOf, unknownRun } from "../header.ts";
import { summarizePlan } from "../plan.ts";
import {
  checkRunName,
  type HeldRun,
  type ListedRun,
  type OnPass,
  type RunHolder,
  type RunKeeper,
  unreadableRun,
  notRecorded,
} from "../runs.ts";
import { type Database, isAlive, newToken } from "./database.ts";
import { recordedRun, runColumns, type RunRow } from "./run.ts";
import { type Held, lost, openWriter } from "./writer.ts";

type Machine = Pick<Host, "now" | "sleep">;

/** How long another command may take to begin a run. Milliseconds. */
const patience = 10_000;

/** How often a holder says that it runs, and after which time without a word it may be stopped. Milliseconds. */
const beatMs = 10_000;
const silenceMs = 40_000;

/** The advisory lock of `alone`. Tokens count from 1. */
const aloneLock = 0;

interface HolderRow {
  readonly holder: string | null;
  readonly alive: boolean;
  readonly silent: boolean;
}

/** A row of `sms.runs` and its holder. */
type HeldRow = RunRow & HolderRow & { readonly replaced: boolean };

/** Changes when a replica takes over, or a backup is restored: then the last commits may be gone. */
const timeline = "substr(pg_walfile_name(pg_current_wal_lsn()), 1, 8)";

const heldColumns = `${runColumns}, holder, header is not null and timeline <> ${timeline} as replaced, ${isAlive("token")} as alive,
  coalesce(seen < clock_timestamp() - interval '${silenceMs} milliseconds', true) as silent`;

/** Keeps runs in a database: a row for each run, for each message of its plan and for each entry of its journal. */
export function postgresRuns(database: Database, machine: Machine): RunKeeper {
  const { query, transaction, place, holder: self } = database;

  const find = async (name: string) => {
    checkRunName(name);
    const [row] = await query<HeldRow>(`select ${heldColumns} from sms.runs where name = $1`, [name]);
    return row;
  };
  const read = async (name: string, onPass?: OnPass) => {
    const row = await find(name);
    return row === undefined || row.header === null ? undefined : recordedRun(database, row, onPass);
  };
  const hold = (name: string, isRemoved = false): Promise<Held> =>
    transaction(async (ask) => {
      // What a killed command had planned: numbers and texts that nobody will send.
      await ask(`delete from sms.runs where header is null and name <> $1 and not ${isAlive("token")}`, [name]);
      await ask("insert into sms.runs (name) values ($1) on conflict (name) do nothing", [name]);
      const [row] = await ask<HeldRow>(`select ${heldColumns} from sms.runs where name = $1 for update`, [name]);
      if (row === undefined) throw busy(name, { holder: null, alive: true, silent: false });
      if (row.replaced && !isRemoved) throw replaced(name);
      if (row.alive) throw busy(name, row);
      const token = await newToken(ask);
      await ask(`update sms.runs set token = $2, holder = $3, seen = now(), timeline = ${timeline} where id = $1`, [
        row.id,
        token,
        self,
      ]);
      return { id: row.id, name, token };
    });
  const holderOf = (row: HolderRow | undefined): RunHolder | undefined =>
    row?.alive ? { process: wordsOf(row), isSure: !row.silent } : undefined;

  return {
    place,
    list: async () => {
      const rows = await query<RunRow>(`select ${runColumns} from sms.runs where header is not null order by id`);
      return rows.map((row): ListedRun => {
        try {
          return { kind: "run", run: recordedRun(database, row) };
        } catch (error) {
          return { kind: "unreadable", ...unreadableRun(row.name, error) };
        }
      });
    },
    read,
    alike: async ({ digests }, binding) => {
      const rows = await query<RunRow>(
        `select ${runColumns} from sms.runs where header is not null and messages_digest = $1 order by id`,
        [digests.messages],
      );
      return rows
        .map((row) => recordedRun(database, row))
        .filter(({ header }) => changesOf(header, binding).length === 0);
    },
    hold: async (name, onPass) => heldRun(database, await hold(checkRunName(name)), () => read(name, onPass)),
    holder: async (name) => holderOf(await find(name)),
    alone: async (work) => {
      await takeTurn(database, machine);
      try {
        return await work();
      } finally {
        // With the session, the lock is gone as well.
        await query("select pg_advisory_unlock($1)", [aloneLock]).catch(() => {});
      }
    },
    remove: async (name, confirm) => {
      if ((await find(name)) === undefined) throw unknownRun(name);
      const held = await hold(name, true);
      try {
        await confirm();
        await query("delete from sms.runs where id = $1 and token = $2", [held.id, held.token]);
      } finally {
        await giveBack(database, held);
      }
    },
    unlock: async (name, confirm) => {
      const row = await find(name);
      if (row === undefined) throw unknownRun(name);
      const holder = holderOf(row);
      if (holder === undefined && !row.replaced) {
        throw usageError("NOT_LOCKED", `run ${name} is not locked`, `\`sms runs resume ${name}\` continues it`);
      }
      if (holder?.isSure) throw busy(name, row);
      await confirm(holder?.process ?? "the server before a replica took over");
      // From here on, no statement of that holder does anything.
      const release = "update sms.runs set token = nextval('sms.token'), holder = null, timeline =";
      await query(`${release} ${timeline} where id = $1`, [row.id]);
    },
  };
}

function wordsOf({ holder }: HolderRow): string {
  return holder ?? "an unknown process";
}

function busy(name: string, row: HolderRow): Error {
  return usageError(
    "RUN_BUSY",
    `${wordsOf(row)} works on run ${name}`,
    row.silent
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
  const deadline = now() + patience;
  for (;;) {
    const [row] = await query<{ taken: boolean }>("select pg_try_advisory_lock($1) as taken", [aloneLock]);
    if (row?.taken) return;
    if (now() >= deadline) throw usageError("LOCKED", "another command begins a run", "give the command again");
    await sleep(50);
  }
}

async function giveBack({ query }: Database, { id, token }: Held): Promise<void> {
  try {
    await query("delete from sms.runs where id = $1 and token = $2 and header is null", [id, token]);
    await query("update sms.runs set holder = null where id = $1 and token = $2", [id, token]);
    await query("select pg_advisory_unlock($1)", [token]);
  } catch {
    // It ends with the session.
  }
}

function heldRun(database: Database, held: Held, read: HeldRun["read"]): HeldRun {
  const { query } = database;
  const { id, name, token } = held;
  /** Runs a statement that changes a row of the run, if it is ours. */
  const change = async (statement: string, values: readonly unknown[] = []) => {
    const changed = await query(statement, [id, token, ...values]);
    if (changed.length === 0) throw notRecorded(`record run ${held.name}`, new Error(lost));
  };
  const beat = setInterval(() => {
    query("update sms.runs set seen = clock_timestamp() where id = $1 and token = $2", [id, token]).catch(() => {});
  }, beatMs).unref();
  return {
    name,
    read,
    plan: async (messages) => {
      await change(
        `with held as (select id from sms.runs where id = $1 and token = $2 for update),
          old as (delete from sms.plan using held where run = held.id) select id from held`,
      );
      let next = 0;
      return summarizePlan(messages, async (text) => {
        const lines = text.split("\n").slice(0, -1);
        if (lines.length === 0) return;
        await change(
          `with held as (select id from sms.runs where id = $1 and token = $2 for update),
            added as (insert into sms.plan (run, index, line)
              select held.id, $3::int + number - 1, line from held, unnest($4::text[]) with ordinality as lines (line, number))
          select id from held`,
          [next, lines],
        );
        next += lines.length;
      });
    },
    begin: (header) =>
      change(
        `with held as (update sms.runs set header = $3, messages_digest = $4, entries = 0, written = now()
            where id = $1 and token = $2 returning id),
          old as (delete from sms.journal using held where run = held.id) select id from held`,
        [JSON.stringify(header), header.plan.digests.messages],
      ),
    open: async () => openWriter(database, held),
    release: async () => {
      clearInterval(beat);
      await giveBack(database, held);
    },
  };
}
