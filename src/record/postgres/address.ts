import { readFileSync, statSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { join } from "node:path";
import { usageError } from "../../errors.ts";
import type { Machine } from "../../host.ts";

export interface RecordAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly ssl: false | ConnectionOptions;
  /** This has no password. */
  readonly place: string;
}

const form = "postgres://USER@HOST/DATABASE";

/** The environment may have the password. Throws `INVALID_RECORD`, which never quotes a URL with a password. */
export function readRecordAddress(text: string, machine?: Machine): RecordAddress {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^postgres(ql)?:$/.test(url.protocol)) throw invalid(`it is no URL like ${form}`);
  const parameters = new Map(url.searchParams);
  const [socket, sslmode, rootCert] = ["host", "sslmode", "sslrootcert"].map((name) => parameters.get(name));
  const other = [...parameters.keys()].find((name) => !["host", "sslmode", "sslrootcert"].includes(name));
  if (other !== undefined) throw invalid(`sms does not know its parameter ${JSON.stringify(other)}`);
  const host = socket ?? unescaped(url.hostname).replace(/^\[|\]$/g, "");
  const user = unescaped(url.username);
  const database = unescaped(url.pathname.slice(1));
  if (host === "" || user === "" || database === "") throw invalid(`it lacks a part of ${form}`);
  const port = url.port === "" ? 5432 : Number(url.port);
  const ofUrl = unescaped(url.password) || machine?.environment["PGPASSWORD"];
  const password = ofUrl || (machine && filedPassword([host, `${port}`, database, user], machine));
  const hostText = socket === undefined ? url.host : socket;
  const place = `postgres://${url.username}@${hostText}/${url.pathname.slice(1)}`;
  return { host, port, database, user, password, ssl: tlsOf(host, sslmode, rootCert), place };
}

/** If others may read the password file, this ignores the file. */
function filedPassword(place: readonly string[], { environment, platform }: Machine): string | undefined {
  const { PGPASSFILE, HOME } = environment;
  const path = PGPASSFILE || (HOME && join(HOME, ".pgpass"));
  if (!path) return undefined;
  let lines: readonly string[];
  try {
    if (platform !== "win32" && (statSync(path).mode & 0o077) !== 0) return undefined;
    lines = readFileSync(path, "utf8").split(/\r?\n/);
  } catch {
    return undefined;
  }
  for (const line of lines) {
    const [, places = "", password = ""] = /^((?:(?:\\.|[^:\\])*:){4})(.*)$/.exec(line) ?? [];
    const fields = [...places.matchAll(/((?:\\.|[^:\\])*):/g)].map(([, field = ""]) => plain(field));
    if (fields.length > 0 && fields.every((field, at) => field === "*" || field === place[at])) return plain(password);
  }
  return undefined;
}

function plain(field: string): string {
  return field.replaceAll(/\\(.)/g, "$1");
}

function tlsOf(host: string, mode: string | undefined, rootCert: string | undefined): RecordAddress["ssl"] {
  const isLocal = host.startsWith("/") || host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
  const ca = rootCert === undefined ? {} : { ca: readCertificates(rootCert) };
  switch (mode ?? (isLocal ? "disable" : "verify-full")) {
    case "disable":
      return false;
    case "require":
      return { ...ca, rejectUnauthorized: rootCert !== undefined, checkServerIdentity: () => undefined };
    case "verify-ca":
      return { ...ca, checkServerIdentity: () => undefined };
    case "verify-full":
      return ca;
    default:
      throw invalid("its sslmode is none of disable, require, verify-ca and verify-full");
  }
}

function readCertificates(path: string): Buffer {
  try {
    return readFileSync(path);
  } catch (error) {
    throw invalid(
      `the file of its sslrootcert cannot be read: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw invalid("it has a % that is not followed by two hexadecimal digits");
  }
}

function invalid(why: string): Error {
  const hint = `give ${form}; the password is better in PGPASSWORD or the file of PGPASSFILE`;
  return usageError("INVALID_RECORD", `the address of the record cannot be used: ${why}`, hint);
}
