import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { readAddress } from "../../src/record/postgres/address.ts";
import { initRecord } from "../../src/record/postgres/init.ts";
import { postgresBinaries } from "./needs.ts";
import { freePort } from "./free-port.ts";

/** A PostgreSQL server of our own. */
export interface PostgresServer {
  readonly port: number;
  /** Returns the URL of a database with our tables, or of an empty one. */
  readonly newRecord: (has?: "tables" | "nothing") => string;
  /** Runs SQL as the superuser, by psql, and returns what it prints. */
  readonly sql: (database: string, text: string) => string;
  readonly stop: (mode: "fast" | "immediate") => Promise<void>;
  readonly start: () => Promise<void>;
}

/** initdb and postgres refuse root. */
const asPostgres =
  process.getuid?.() === 0 ? ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"] : [];

/** Runs a program of PostgreSQL; a client may be of another version than the server. */
function run(program: string, ...args: readonly string[]): string {
  const path = join(postgresBinaries ?? "", program);
  const [command = "", ...rest] = [...asPostgres, existsSync(path) ? path : program, ...args];
  return execFileSync(command, rest, { encoding: "utf8", stdio: ["ignore", "pipe", "pipe"], cwd: "/" });
}

/** Starts a server for the tests of this file, if there is one on this machine. */
export function usePostgres(settings: Readonly<Record<string, string>> = {}): PostgresServer {
  // Not in the temporary folder of the tests, which is closed to the user postgres.
  const folder = postgresBinaries === undefined ? "" : mkdtempSync("/tmp/sms-postgres-");
  const data = join(folder, "data");
  let port = 0;
  let server: ReturnType<typeof spawn> | undefined;
  let records = 0;

  const start = async () => {
    const all = { port: String(port), unix_socket_directories: folder, max_connections: "200", ...settings };
    const flags = Object.entries(all).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
    const [command = "", ...rest] = [...asPostgres, join(postgresBinaries ?? "", "postgres"), "-D", data, ...flags];
    server = spawn(command, rest, { stdio: "ignore", cwd: "/" });
    for (;;) {
      try {
        run("pg_isready", "-q", "-h", folder, "-p", String(port));
        return;
      } catch {
        if (server.exitCode !== null) throw new Error("the server did not start");
      }
    }
  };
  const stop = async (mode: "fast" | "immediate") => {
    if (server === undefined || server.exitCode !== null) return;
    const ended = once(server, "exit");
    server.kill(mode === "fast" ? "SIGINT" : "SIGQUIT");
    await ended;
  };
  const sql = (database: string, text: string) =>
    run("psql", "-XAtq", "-v", "ON_ERROR_STOP=1", "-h", folder, "-p", String(port), "-d", database, "-c", text).trim();

  beforeAll(async () => {
    if (postgresBinaries === undefined) return;
    if (asPostgres.length > 0) {
      const [uid, gid] = ["-u", "-g"].map((flag) =>
        Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" })),
      );
      chownSync(folder, uid ?? 0, gid ?? 0);
    }
    run("initdb", "-D", data, "-U", "postgres", "--auth=trust", "--no-sync", "--encoding=UTF8", "--locale=C");
    const hba = join(data, "pg_hba.conf");
    const network = settings["listen_addresses"] === undefined ? "" : "host all sms 10.0.0.0/8 trust\n";
    writeFileSync(hba, `host all guest all scram-sha-256\n${network}${readFileSync(hba, "utf8")}`);
    port = await freePort();
    await start();
    sql("postgres", "create role sms login; create role guest login password 'secret'");
    sql("postgres", "create database template owner sms");
    await initRecord(readAddress(`postgres://sms@127.0.0.1:${port}/template`), process.pid);
  }, 60_000);

  afterAll(async () => {
    await stop("immediate");
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
    stop,
    start,
  };
}
