import { interruptionError, usageError } from "../../errors.ts";
import type { Machine } from "../../host.ts";
import {
  keptAfterPauseMs,
  type KeyRequest,
  keyName,
  type OnceKeeper,
  type OnceClaim,
  type OnceUse,
  type UsedKey,
} from "../once.ts";
import { notInFuture, type OnceIntent, outcomeLine, readKeyLines, type StoredKey, usedBy } from "../once-lines.ts";
import { actorHere } from "./actor.ts";
import { type Database, isAlive, newToken, noteChanges, ownerName, type Query } from "./database.ts";
import { openLease } from "./lease.ts";

interface KeyRow {
  readonly owner: string;
  readonly intent: string | null;
  readonly outcome: string | null;
  readonly alive: boolean;
  /** The clocks of two machines differ, so this is the server's. */
  readonly now: Date;
}

const columns = `${ownerName}, intent, outcome, ${isAlive("token")} as alive, clock_timestamp() as now`;

export function postgresOnce(database: Database, machine: Machine): OnceKeeper {
  const { query, transaction } = database;

  const usedIn = (row: KeyRow, key: KeyRequest, use: OnceUse) => usedBy(readRow(row), key, use, row.now.getTime());
  const attempt = (key: KeyRequest, use: OnceUse): Promise<UsedKey | OnceClaim | { kind: "busy"; owner: string }> =>
    transaction(async (ask) => {
      const name = keyName(key);
      // This also locks the row.
      const [row] = await ask<KeyRow>(
        `insert into sms.once (key) values ($1) on conflict (key) do update set key = excluded.key returning ${columns}`,
        [name],
      );
      if (row === undefined) throw new Error("the server returned no row");
      const usedKey = usedIn(row, key, use);
      if (usedKey !== undefined) await keepTime(ask, name, row, usedKey);
      if (usedKey !== undefined && row.outcome !== null) return usedKey;
      if (row.alive) return { kind: "busy", owner: row.owner };
      if (usedKey !== undefined) return usedKey;
      const token = await newToken(ask);
      const take =
        "update sms.once set token = $2, owner = $3, intent = null, outcome = null, over = null where key = $1";
      await ask(take, [name, token, database.owner]);
      // This would drop a key that is not taken yet.
      if (key.pauseMs !== undefined) await ask(dropSome);
      const [serverTime, began] = [row.now.getTime(), machine.now()];
      // A pause counts from the last try, which may come a minute after the first.
      const intentNow = (): OnceIntent => {
        const at = new Date(serverTime + machine.now() - began).toISOString();
        return { version: 1, at, by: actorHere(), ...use, pauseMs: key.pauseMs };
      };
      return onceClaim(database, name, token, intentNow);
    });
  return {
    find: async (key, use) => {
      const [row] = await query<KeyRow>(`select ${columns} from sms.once where key = $1`, [keyName(key)]);
      return row && usedIn(row, key, use);
    },
    claim: async (key, use, patienceMs) => {
      const { stop } = machine.interruption();
      const deadline = machine.now() + patienceMs;
      for (;;) {
        const claim = await attempt(key, use);
        if (claim.kind !== "busy") return claim;
        if (machine.now() >= deadline)
          throw usageError("LOCKED", `${claim.owner} has this key of --once`, "wait until it ends");
        await machine.sleep(100, stop);
        if (stop.aborted) throw interruptionError(stop, "unsent");
      }
    },
  };
}

const dropSome = `
delete from sms.once where key in
  (select key from sms.once where over < clock_timestamp() limit 8 for update skip locked)`;

/** A server's clock that was ahead said when this key was used. */
async function keepTime(ask: Query, name: string, row: KeyRow, use: UsedKey): Promise<void> {
  const key = readRow(row);
  if (key === undefined || key.intent.at === use.at) return;
  const { intent } = notInFuture(key, row.now.getTime());
  const change = "update sms.once set intent = $2, over = $3 where key = $1";
  await ask(change, [name, JSON.stringify(intent), overAt(intent)]);
}

function overAt({ at, pauseMs }: OnceIntent): Date | null {
  return pauseMs === undefined ? null : new Date(Date.parse(at) + pauseMs + keptAfterPauseMs);
}

function onceClaim(database: Database, name: string, first: string, intentNow: () => OnceIntent): OnceClaim {
  const { query, optOutChanges } = database;
  const lost = () => usageError("LOCKED", "another command has this key of --once now", "use another key");
  const retake = async (ask: Query, was: string) => {
    const next = await newToken(ask);
    const take = "update sms.once set token = $3 where key = $1 and token = $2 returning token";
    return (await ask(take, [name, was, next])).length === 0 ? undefined : next;
  };
  const lease = openLease(database, first, retake, lost);
  const statement = (columnsToSet: string) =>
    `update sms.once set ${columnsToSet} where key = $1 and token = $2
      returning (select opt_out_changes from sms.record) as changes`;
  optOutChanges.isAskedByIntents = true;
  // After a broken connection another command may have the key: an outcome is still recorded, if there is none.
  const change = async (columnsToSet: string, ...values: readonly unknown[]) => {
    const rows = await query(statement(columnsToSet), [name, lease.token(), ...values]);
    if (rows.length === 0) throw lost();
  };
  const withdraw = () => change("intent = null, over = null");
  return {
    kind: "ours",
    intend: async () => {
      const intent = intentNow();
      const set = statement("intent = $3, over = $4");
      const [row] = await lease.query(set, name, JSON.stringify(intent), overAt(intent));
      if (row === undefined) throw lost();
      noteChanges(optOutChanges, String(row["changes"]));
    },
    withdraw,
    settle: (outcome) =>
      outcome.kind === "rejected" || outcome.kind === "unsent"
        ? withdraw()
        : change("outcome = $3", outcomeLine(outcome).trimEnd()),
    release: () => lease.release("delete from sms.once where key = $1 and token = $2 and intent is null", name),
  };
}

function readRow({ intent, outcome }: KeyRow): StoredKey | undefined {
  return intent === null ? undefined : readKeyLines(intent, outcome ?? undefined, "the record of this key of --once");
}
