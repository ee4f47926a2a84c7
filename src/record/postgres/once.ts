import { interruption, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { isObject, parseJson } from "../../message/json.ts";
import type { Outcome } from "../../message/outcome.ts";
import { isBinding } from "../header.ts";
import { decodeEntry, encodeEntry, noResult, outcomeFrom, resultEntry } from "../journal-entry.ts";
import {
  type HeldKey,
  type OnceKeeper,
  type OnceKey,
  type OnceTerms,
  requireSameTerms,
  sha256,
  type UsedKey,
} from "../once.ts";
import type { Actor } from "../runs.ts";
import { actorHere } from "./actor.ts";
import { type Database, isAlive, lockCall, newToken, type Query } from "./database.ts";

type Machine = Pick<Host, "interruption" | "now" | "sleep" | "wallClock">;

interface Intent extends OnceTerms {
  /** When the request was about to begin. ISO 8601, UTC. */
  readonly at: string;
  readonly by?: Actor;
}

interface KeyRow {
  readonly holder: string | null;
  readonly intent: string | null;
  readonly outcome: string | null;
  readonly alive: boolean;
}

const columns = `holder, intent, outcome, ${isAlive("token")} as alive`;

/** The keys of `--once` in a database: a row for each that is used or held. */
export function postgresOnce(database: Database, machine: Machine): OnceKeeper {
  const { query, transaction } = database;

  const usedBy = (row: KeyRow, { lifetime }: OnceKey, terms: OnceTerms): UsedKey | undefined => {
    const stored = readRow(row);
    if (stored === undefined) return undefined;
    const { intent, outcome = noResult } = stored;
    const isOver = lifetime !== undefined && machine.wallClock() - Date.parse(intent.at) >= lifetime;
    if (outcome.kind === "accepted" && isOver) return undefined;
    requireSameTerms(intent, terms);
    return { kind: "used", at: intent.at, by: intent.by, outcome, isNew: stored.outcome === undefined };
  };
  /** Takes a key, or says what used it up, or who holds it. */
  const attempt = (key: OnceKey, terms: OnceTerms): Promise<UsedKey | HeldKey | { kind: "busy"; holder: string }> =>
    transaction(async (ask) => {
      const name = nameOf(key);
      await ask("insert into sms.once (key) values ($1) on conflict (key) do nothing", [name]);
      const [row] = await ask<KeyRow>(`select ${columns} from sms.once where key = $1 for update`, [name]);
      const used = row && usedBy(row, key, terms);
      if (used !== undefined && !used.isNew) return used;
      if (row === undefined || row.alive) return { kind: "busy", holder: row?.holder ?? "an unknown process" };
      if (used !== undefined) {
        await ask("update sms.once set outcome = $2 where key = $1", [name, outcomeText(noResult)]);
        return used;
      }
      const token = await newToken(ask);
      const taken = "update sms.once set token = $2, holder = $3, intent = null, outcome = null where key = $1";
      await ask(taken, [name, token, database.holder]);
      return heldKey(database, name, token, terms, machine);
    });
  return {
    find: async (key, terms) => {
      const [row] = await query<KeyRow>(`select ${columns} from sms.once where key = $1`, [nameOf(key)]);
      return row && usedBy(row, key, terms);
    },
    claim: async (key, terms, patience) => {
      const { stop } = machine.interruption();
      const deadline = machine.now() + patience;
      for (;;) {
        const claimed = await attempt(key, terms);
        if (claimed.kind !== "busy") return claimed;
        if (machine.now() >= deadline) {
          throw usageError("LOCKED", `${claimed.holder} holds this key of --once`, "wait until it ends");
        }
        await machine.sleep(100, stop);
        if (stop.aborted) throw interruption(stop, "unsent");
      }
    },
  };
}

function heldKey(database: Database, name: string, token: string, terms: OnceTerms, { wallClock }: Machine): HeldKey {
  const intent: Intent = { at: new Date(wallClock()).toISOString(), by: actorHere(), ...terms };
  // After a broken connection another command may have the key: an outcome is still recorded, if it has not.
  const { query } = database;
  const holding = database.queryOfSession();
  const change = async (by: Query, columnsToSet: string, ...values: readonly unknown[]) => {
    const statement = `update sms.once set ${columnsToSet} where key = $1 and token = $2 returning key`;
    const changed = await by(statement, [name, token, ...values]);
    if (changed.length === 0)
      throw usageError("LOCKED", "another command holds this key of --once now", "use another key");
  };
  const withdraw = () => change(query, "intent = null");
  return {
    kind: "held",
    intend: () => change(holding, "intent = $3", JSON.stringify(intent)),
    withdraw,
    settle: (outcome) =>
      outcome.kind === "rejected" || outcome.kind === "unsent"
        ? withdraw()
        : change(query, "outcome = $3", outcomeText(outcome)),
    release: async () => {
      try {
        await query("delete from sms.once where key = $1 and token = $2 and intent is null", [name, token]);
        await query(`select ${lockCall("pg_advisory_unlock", "$1")}`, [token]);
      } catch {
        // It ends with the session.
      }
    },
  };
}

/** A key may be any text, and nobody else's business. A folder has the same names. */
function nameOf({ text, isSandbox }: OnceKey): string {
  return sha256(JSON.stringify([isSandbox ? "sandbox" : "service", text])).slice(0, 32);
}

function outcomeText(outcome: Outcome): string {
  return encodeEntry(resultEntry(0, outcome)).trimEnd();
}

function readRow(row: KeyRow): { readonly intent: Intent; readonly outcome: Outcome | undefined } | undefined {
  if (row.intent === null) return undefined;
  const intent = parseJson(row.intent);
  const entry = row.outcome === null ? undefined : decodeEntry(row.outcome);
  const result = entry !== undefined && "index" in entry ? entry : undefined;
  if (!isIntent(intent) || (row.outcome !== null && result === undefined)) {
    const hint = "nothing is sent under it: use another key, and find out whether the message of this one arrived";
    throw usageError("ONCE_DAMAGED", "the record of this key of --once is broken", hint);
  }
  return { intent, outcome: result && outcomeFrom(result, intent.to) };
}

function isIntent(value: unknown): value is Intent {
  return (
    isObject(value) &&
    typeof value["at"] === "string" &&
    !Number.isNaN(Date.parse(value["at"])) &&
    typeof value["to"] === "string" &&
    isObject(value["digests"]) &&
    isBinding(value["binding"])
  );
}
