import { readFileSync } from "node:fs";
import type { ConnectionOptions } from "node:tls";
import { usageError } from "../../errors.ts";

/** Where a record is in PostgreSQL. */
export interface RecordAddress {
  readonly host: string;
  readonly port: number;
  readonly database: string;
  readonly user: string;
  readonly password: string | undefined;
  readonly ssl: false | ConnectionOptions;
  /** For people: without the password. */
  readonly place: string;
}

const form = "postgres://USER@HOST/DATABASE";

/** Reads the URL of a record. Throws a usage error `INVALID_RECORD` that does not quote it, since it may have a password. */
export function readAddress(text: string): RecordAddress {
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
  const password = url.password === "" ? undefined : unescaped(url.password);
  const shown = socket === undefined ? url.host : socket;
  const place = `postgres://${url.username}@${shown}/${url.pathname.slice(1)}`;
  return { host, port, database, user, password, ssl: tlsOf(host, sslmode, rootCert), place };
}

function tlsOf(host: string, mode: string | undefined, rootCert: string | undefined): RecordAddress["ssl"] {
  const isLocal = host.startsWith("/") || host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
  const ca = rootCert === undefined ? {} : { ca: readFileSync(rootCert) };
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
