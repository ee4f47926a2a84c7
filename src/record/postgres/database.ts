import { Socket } from "node:net";
import { Client, DatabaseError, type QueryResultRow } from "pg";
import { SmsError, usageError } from "../../errors.ts";
import { processText } from "./actor.ts";
import type { RecordAddress } from "./address.ts";
import { migrations } from "./migrations.ts";

const connectMs = 10_000;
const answerMs = 30_000;
/** A silent server is not asked again for so long. */
const silenceMs = 30_000;
const closeMs = 1000;

/** If a session was idle for longer, the first statement asks the server, which may have ended the session. */
const idleMs = 5000;
const probeMs = 10_000;

/** Throws `RECORD_UNAVAILABLE`, and the errors of unfit tables. */
export type Query = <Row extends QueryResultRow>(text: string, values?: readonly unknown[]) => Promise<readonly Row[]>;

/** The first statement opens the session. */
export interface Database {
  readonly place: string;
  readonly owner: string;
  readonly query: Query;
  /** The locks of a session end with it, so this throws `SessionEndedError` once the current session has ended. */
  readonly queryOfSession: () => Query;
  /** No other statement runs meanwhile. */
  readonly transaction: <Result>(work: (query: Query) => Promise<Result>) => Promise<Result>;
  /** The next statement opens another session. */
  readonly close: () => Promise<void>;
  readonly optOutChanges: OptOutChanges;
}

interface OptOutChanges {
  count: string | undefined;
  at: number;
  isAskedByIntents: boolean;
}

export function noteChanges(changes: OptOutChanges, count: string): void {
  changes.count = count;
  changes.at = performance.now();
}

/** The locks of the session have ended too. The statement was not sent. */
export class SessionEndedError extends SmsError {}

type SessionCheck = "tables" | "server";

interface Session {
  readonly client: Client;
  readonly socket: Socket;
}

/** With the check `server`, the database need not have our tables. */
export function openDatabase(address: RecordAddress, pid: number, check: SessionCheck = "tables"): Database {
  const { place } = address;
  const { inTurn, current, drop, close } = openTurns(address, check);
  const inNextTurn = async <Result>(work: (session: Session) => Promise<Result>, mayRepeat = () => true) => {
    try {
      return await inTurn(work);
    } catch (error) {
      if (!(error instanceof SessionEndedError) || !mayRepeat()) throw error;
      return inTurn(work);
    }
  };
  return {
    place,
    owner: processText(pid),
    optOutChanges: { count: undefined, at: 0, isAskedByIntents: false },
    query: (text, values = []) => inNextTurn((session) => ask<never>(session, place, text, values)),
    queryOfSession: () => {
      const session = current();
      return (text, values = []) => inTurn((latest) => ask(latest, place, text, values), session);
    },
    transaction: (work) => {
      let hasBegun = false;
      const whole = async (session: Session) => {
        await ask(session, place, "begin", []);
        hasBegun = true;
        try {
          const result = await work((text, values = []) => ask(session, place, text, values));
          await ask(session, place, "commit", []);
          return result;
        } catch (error) {
          await ask(session, place, "rollback", []).catch(drop);
          throw error;
        }
      };
      return inNextTurn(whole, () => !hasBegun);
    },
    close,
  };
}

/** One statement at a time has the session, which opens with the first one and again after its end. */
function openTurns(address: RecordAddress, check: SessionCheck) {
  let session: Promise<Session> | undefined;
  let usedAt = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** While the server does not answer, the next statements need not wait too. */
  let silence: Error | undefined;

  const open = async (): Promise<Session> => {
    if (silence !== undefined) throw silence;
    const opening = (session ??= connect(address, check));
    try {
      return await opening;
    } catch (error) {
      // A command that runs for days connects again.
      session = undefined;
      throw error;
    }
  };
  const drop = (error: unknown) => {
    if (error instanceof SilenceError || (error instanceof Error && error.cause instanceof SilenceError)) {
      silence = error;
      setTimeout(() => (silence = undefined), silenceMs).unref();
    }
    void destroy(session);
    session = undefined;
  };
  /** A server may restart and a firewall forget the connection while nothing was asked. */
  const forgetIfEnded = async () => {
    const current = await session?.catch(() => undefined);
    if (current === undefined) return;
    const isIdle = performance.now() - usedAt > idleMs;
    if (!current.socket.destroyed && (!isIdle || (await answers(current)))) return;
    current.socket.destroy();
    session = undefined;
  };
  const inTurn = <Result>(work: (session: Session) => Promise<Result>, only?: Promise<Session>): Promise<Result> => {
    const turn = last.then(async () => {
      await forgetIfEnded();
      if (only !== undefined && only !== session) throw silence ?? sessionEnded(address.place);
      try {
        return await work(await open());
      } catch (error) {
        if (error instanceof SessionEndedError || !isRefusal(error)) drop(error);
        throw error;
      } finally {
        usedAt = performance.now();
      }
    });
    last = turn.catch(() => {});
    return turn;
  };
  const close = async () => {
    const current = await session?.catch(() => undefined);
    session = undefined;
    if (current !== undefined) await endSession(current);
  };
  return { inTurn, current: () => session, drop, close };
}

async function ask<Row extends QueryResultRow>(
  { client, socket }: Session,
  place: string,
  text: string,
  values: readonly unknown[],
): Promise<readonly Row[]> {
  socket.ref();
  try {
    const { rows } = await client.query<Row>({ text, values: [...values] });
    return rows;
  } catch (error) {
    throw isFarewell(error) ? sessionEnded(place) : recordError(error, place);
  } finally {
    // An idle session does not keep the process from its end.
    socket.unref();
  }
}

async function endSession({ client, socket }: Session): Promise<void> {
  socket.ref();
  // On a dead network nobody answers that the connection has ended.
  const timer = setTimeout(() => socket.destroy(), closeMs);
  await client.end().catch(() => {});
  clearTimeout(timer);
}

async function answers({ client, socket }: Session): Promise<boolean> {
  socket.ref();
  const timer = setTimeout(() => socket.destroy(), probeMs);
  try {
    await client.query("select 1");
    return true;
  } catch {
    return false;
  } finally {
    clearTimeout(timer);
    socket.unref();
  }
}

/** If the server ended the session instead of executing a statement, nothing of the statement is committed. */
function isFarewell(error: unknown): boolean {
  return error instanceof DatabaseError && error.severity === "FATAL" && ["57P01", "57P05"].includes(error.code ?? "");
}

async function destroy(session: Promise<Session> | undefined): Promise<void> {
  const current = await session?.catch(() => undefined);
  current?.socket.destroy();
}

class SilenceError extends Error {}

async function connect(address: RecordAddress, check: SessionCheck): Promise<Session> {
  const { place, ssl, password, ...rest } = address;
  const socket = new Socket();
  const client = new Client({
    ...rest,
    // Without a function the library looks for a password itself, and warns on stderr about what it reads.
    password: () => password ?? "",
    ssl,
    stream: () => socket,
    keepAlive: true,
    keepAliveInitialDelayMillis: 20_000,
    query_timeout: answerMs,
    application_name: "sms",
  });
  // A server may end an idle session. The next statement fails.
  client.on("error", () => socket.destroy());
  const timer = setTimeout(() => socket.destroy(new SilenceError("no connection within 10 s")), connectMs);
  try {
    await client.connect();
    await prepare(client, check, place);
    return { client, socket };
  } catch (error) {
    socket.destroy();
    throw recordError(error, place);
  } finally {
    clearTimeout(timer);
    socket.unref();
  }
}

// A role may commit without waiting for the disk, and the server must break off before we do.
const settings = `
select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') in ('off', 'local');
set tcp_keepalives_idle = 20;
set tcp_keepalives_interval = 10;
set tcp_keepalives_count = 3;
set tcp_user_timeout = 45000;
set statement_timeout = 25000;
set lock_timeout = 20000;
set idle_in_transaction_session_timeout = 30000`;

interface Server {
  readonly version: number;
  readonly pid: number;
  readonly recovering: boolean;
  readonly readonly: boolean;
}

async function prepare(client: Client, check: SessionCheck, place: string): Promise<void> {
  const { rows } = await client.query<Server>(
    `select current_setting('server_version_num')::int as version, pg_backend_pid() as pid, pg_is_in_recovery() as recovering,
      current_setting('transaction_read_only')::boolean as readonly`,
  );
  const [server] = rows;
  const faults: readonly (readonly [isSo: boolean | undefined, ...obstacle: Obstacle])[] = [
    [server === undefined || server.version < 140_000, "the server is older than PostgreSQL 14", "use a newer one"],
    // A pooler makes up the id that it gives us. Locks of a session mean nothing behind it.
    [
      "processID" in client && client.processID !== server?.pid,
      "there is a pooler, such as PgBouncer, in between",
      "give the address of the server itself: a record needs a session of its own",
    ],
    [server?.recovering, "this server is a replica, which takes no changes", "give the address of the primary"],
    [server?.readonly, "it is read-only", "make it writable: nothing is sent that cannot be recorded"],
  ];
  for (const [isSo, ...fault] of faults) if (isSo) throw unavailable(place, fault);
  await client.query(settings);
  if (check === "tables") requireTables(await versionBy(async (text) => (await client.query(text)).rows), place);
}

export async function versionBy(query: Query): Promise<number> {
  const [table] = await query<{ is: boolean }>("select to_regclass('sms.record') is not null as is");
  if (!table?.is) return 0;
  const [row] = await query<{ version: number }>("select version from sms.record");
  return row?.version ?? 0;
}

function requireTables(version: number, place: string): void {
  const current = migrations.length;
  if (version === current) return;
  const [what, hint] =
    version === 0
      ? ["has no tables yet", "`sms record init` creates them, by someone who may"]
      : version < current
        ? ["has older tables than this sms needs", "`sms record init` updates them, by someone who may"]
        : ["has newer tables than this sms knows", "install the sms that the others have"];
  throw usageError("RECORD_FORM", `the record at ${place} ${what}`, hint);
}

export const mayWrite = `(select bool_and(has_table_privilege(oid, 'update') and (relname = 'record'
    or (has_table_privilege(oid, 'insert') and has_table_privilege(oid, 'delete'))))
  from pg_class where relnamespace = 'sms'::regnamespace and relkind = 'r') and has_sequence_privilege('sms.token', 'usage')`;

export async function requireRights({ query, place }: Pick<Database, "query" | "place">): Promise<void> {
  const [row] = await query<{ is: boolean }>(`select ${mayWrite} as is`);
  if (row?.is !== true) throw unavailable(place, noRight);
}

function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

/** After a refusal the session goes on. */
function isRefusal(error: unknown): boolean {
  const cause = error instanceof SmsError ? error.cause : error;
  // Class 57 (such as a shutdown) and class 08 (such as a broken connection) end the session.
  return cause === undefined || (cause instanceof DatabaseError && !/^(57P|08)/.test(codeOf(cause)));
}

const passwordHint = "put it into PGPASSWORD, or into the file of PGPASSFILE, which only you may read";

type Obstacle = readonly [why: string, hint: string];

const noRight: Obstacle = ["this user has no right to do that", "docs/team.md says which rights a role needs"];

const untrusted: Obstacle = [
  "its certificate is of an authority that this machine does not trust",
  "name the file of that authority with sslrootcert=FILE in the address",
];

const withoutTls: Obstacle = [
  "it does not speak TLS",
  "turn TLS on there; with sslmode=disable in the address, others on the network can read all",
];

const faultsByCode: Readonly<Record<string, Obstacle>> = {
  "28P01": ["the password is wrong", passwordHint],
  "3D000": ["there is no such database", "create it, or correct the address"],
  "42501": noRight,
  "25006": ["it is read-only", "give the address of the primary, or make it writable"],
  "53100": ["its disk is full", "make room there"],
  "53300": ["it has too many connections", "raise its max_connections, or run fewer commands at once"],
  "57014": ["it took too long", "try again when it is less busy"],
  "55P03": ["it took too long: another command uses what this one needs", "try again"],
  ECONNREFUSED: ["nothing listens there", "start the server, or correct the address"],
  ENOTFOUND: ["there is no such host", "correct the address"],
  DEPTH_ZERO_SELF_SIGNED_CERT: untrusted,
  SELF_SIGNED_CERT_IN_CHAIN: untrusted,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: untrusted,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: untrusted,
  ERR_TLS_CERT_ALTNAME_INVALID: ["its certificate is for another host", "use the host name of the certificate"],
};

const brokenHint = "`sms record` says whether it can be reached";

function recordError(error: unknown, place: string): Error {
  if (error instanceof SmsError) return error;
  const message = error instanceof Error ? error.message : String(error);
  const isSilent = error instanceof SilenceError || /timeout|timed out/i.test(message);
  if (/^SASL.* password must be /.test(message))
    return unavailable(place, ["it asks for a password", passwordHint], error);
  if (message.includes("not support SSL")) return unavailable(place, withoutTls, error);
  const isBroken = /^Connection terminated|not queryable|ECONNRESET|EPIPE/.test(message);
  const cause = isSilent && codeOf(error) === "" ? new SilenceError(message) : error;
  if (["42P01", "3F000", "42703"].includes(codeOf(error))) requireTables(0, place);
  const short = message.replaceAll(/\s+/g, " ").slice(0, 200);
  const why = isSilent ? "it does not answer" : isBroken ? "the connection broke" : short;
  return unavailable(place, faultsByCode[codeOf(error)] ?? [why, brokenHint], cause);
}

function sessionEnded(place: string): Error {
  const message = `the record at ${place} cannot be used: the connection that had the run or the key broke`;
  return new SessionEndedError("usage", "RECORD_UNAVAILABLE", message, brokenHint);
}

function unavailable(place: string, [why, hint]: Obstacle, cause?: unknown): SmsError {
  const message = `the record at ${place} cannot be used: ${why}`;
  return usageError("RECORD_UNAVAILABLE", message, { hint, cause });
}

/** The class is "sms" as a number: other users of the database have locks of their own. */
const lockClass = 7_564_659;

export const lockCall = (name: string, number: string) => `${name}(${lockClass}, (${number})::int)`;

/** A run that was unlocked has no owner. */
export const ownerName = "coalesce(owner, 'an unknown process') as owner";

/** This part of a statement is true while somebody who has the token is connected. `token` names the column. */
export const isAlive = (token: string) => `exists (select from pg_locks
  where locktype = 'advisory' and granted and objsubid = 2
    and database = (select oid from pg_database where datname = current_database())
    and classid = ${lockClass} and objid::bigint = ${token})`;

export async function newToken(query: Query): Promise<string> {
  const [row] = await query<{ token: string }>(
    `select token, ${lockCall("pg_advisory_lock", "token")} from (select nextval('sms.token') as token offset 0) as next`,
  );
  if (row === undefined) throw new Error("the server gave no token");
  return row.token;
}
