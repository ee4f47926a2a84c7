import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll } from "vitest";
import { readRecordAddress } from "../../src/record/postgres/address.ts";
import { initRecord } from "../../src/record/postgres/tables.ts";
import { postgresBinaries } from "./needs.ts";
import { freePort } from "./free-port.ts";

export interface PostgresServer {
  readonly port: number;
  /** Returns the URL of a database with our tables, or of an empty one. */
  readonly newRecord: (has?: "tables" | "nothing") => string;
  /** Runs SQL in a database, or in that of a record, as the superuser, by psql, and returns what it prints. */
  readonly sql: (place: string, text: string) => string;
  readonly databaseOf: (url: string) => string;
  readonly breakConnections: (url: string) => void;
  readonly set: (setting: string) => void;
  readonly stop: (mode: "fast" | "immediate") => Promise<void>;
  readonly start: () => Promise<void>;
  readonly replicate: () => Promise<Replica>;
}

interface Replica {
  readonly port: number;
  /** Lets it have all that is committed, and nothing from then on. */
  readonly cut: () => void;
  readonly promote: () => void;
}

/** initdb and postgres refuse root. */
const asPostgres =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];

/** Runs a program of PostgreSQL; a client may be of another version than the server. */
function run(program: string, ...args: readonly string[]): string {
  const path = join(postgresBinaries ?? "", program);
  const [command = "", ...rest] = [...asPostgres, existsSync(path) ? path : program, ...args];
  return execFileSync(command, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], cwd: "/", timeout: 60e3 });
}

/** Starts a server for the tests of this file, if there is one on this machine. */
export function usePostgres(settings: Readonly<Record<string, string>> = {}): PostgresServer {
  let folder = "";
  let data = "";
  let port = 0;
  let server: ChildProcess | undefined;
  const replicas: ChildProcess[] = [];
  let records = 0;

  const at = (its: number) => ["-h", folder, "-p", String(its)];
  const launch = async (files: string, its: number) => {
    const all = { port: String(its), unix_socket_directories: folder, max_connections: "200", ...settings };
    const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const [command = "", ...rest] = [...asPostgres, join(postgresBinaries ?? "", "postgres"), "-D", files, ...flags];
    const launched = spawn(command, rest, { stdio: "ignore", cwd: "/" });
    for (;;) {
      try {
        run("pg_isready", "-q", ...at(its));
        return launched;
      } catch {
        if (launched.exitCode !== null) throw new Error("the server did not start");
        await setTimeout(10);
      }
    }
  };
  const start = async () => void (server = await launch(data, port));
  const end = async (launched: ChildProcess | undefined, mode: "fast" | "immediate") => {
    if (launched === undefined || launched.exitCode !== null) return;
    const ended = once(launched, "exit");
    launched.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  };
  const stop = (mode: "fast" | "immediate") => end(server, mode);
  const sqlAt = (its: number, database: string, text: string) =>
    run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", ...at(its), "-d", database, "-c", text).trim();
  const databaseOf = (url: string) => new URL(url).pathname.slice(1);
  const sql = (place: string, text: string) =>
    sqlAt(port, place.startsWith("postgres:") ? databaseOf(place) : place, text);
  const breakConnections = (url: string) => {
    const others = "pid <> pg_backend_pid() and datname = current_database()";
    sql(url, `select pg_terminate_backend(pid, 5000) from pg_stat_activity where ${others}`);
  };
  const set = (setting: string) => {
    sql("postgres", `alter system set ${setting}`);
    sql("postgres", "select pg_reload_conf()");
  };
  const replicate = async (): Promise<Replica> => {
    const copy = join(folder, `replica-${replicas.length}`);
    run("pg_basebackup", "-D", copy, "-R", "--checkpoint=fast", "--no-sync", ...at(port));
    const its = await freePort();
    replicas.push(await launch(copy, its));
    const untilReplicas = (wanted: string, count: string) => {
      for (let trial = 0; trial < 1000; trial++) {
        if (sql("postgres", `select count(*) from pg_stat_replication where ${wanted}`) === count) return;
      }
      throw new Error("the replica is not where it should be");
    };
    return {
      port: its,
      cut: () => {
        untilReplicas(`flush_lsn >= '${sql("postgres", "select pg_current_wal_lsn()")}'`, "1");
        sqlAt(its, "postgres", "alter system set primary_conninfo = ''");
        sqlAt(its, "postgres", "select pg_reload_conf()");
        untilReplicas("true", "0");
      },
      promote: () => void sqlAt(its, "postgres", "select pg_promote()"),
    };
  };

  beforeAll(async () => {
    if (postgresBinaries === undefined) return;
    // Not in the temporary folder of the tests, which is closed to the user postgres.
    folder = mkdtempSync("/tmp/sms-postgres-");
    data = join(folder, "data");
    if (asPostgres.length > 0) {
      const [uid, gid] = ["-u", "-g"].map((flag) => Number(String(execFileSync("id", [flag, "postgres"]))));
      chownSync(folder, uid ?? 0, gid ?? 0);
    }
    run("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C");
    const hba = join(data, "pg_hba.conf");
    writeFileSync(hba, `host all guest all scram-sha-256\nhost all sms 10.0.0.0/8 trust\n${readFileSync(hba, "utf8")}`);
    port = await freePort();
    await start();
    sql("postgres", "create role sms login; create role guest login password 'secret'");
    sql("postgres", "create database template owner sms");
    await initRecord(readRecordAddress(`postgres://sms@127.0.0.1:${port}/template`), process.pid);
  });

  afterAll(async () => {
    for (const launched of [server, ...replicas]) await end(launched, "immediate");
    if (folder !== "") rmSync(folder, { recursive: true, force: true });
  });

  return {
    get port() {
      return port;
    },
    newRecord: (has = "tables") => {
      const name = `r${++records}`;
      sql("postgres", `create database ${name} owner sms${has === "tables" ? " template template" : ""}`);
      return `postgres://sms@127.0.0.1:${port}/${name}`;
    },
    sql,
    databaseOf,
    breakConnections,
    set,
    stop,
    start,
    replicate,
  };
}
