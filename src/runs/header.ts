import { createHash } from "node:crypto";
import { type Credentials, type Mode, secretsOf } from "../core/credentials.ts";
import { usageError } from "../errors.ts";
import { errorCode } from "../files/error-code.ts";
import { readOwnFile } from "../files/state-folder.ts";
import { damaged, type PlanDigests, type PlanSummary } from "./plan.ts";
import { isObject, parseJson } from "../core/json.ts";

/** Where a run sends to and who pays: what no resume may change. */
export interface RunBinding {
  /** Origin and base path. */
  readonly baseUrl: string;
  /** The path of the send operation. */
  readonly path: string;
  /** What `fingerprint` returns. */
  readonly credentials: string;
  readonly mode: Mode;
}

/** What a run is, written once before anything of it is sent. */
export interface RunHeader {
  readonly version: 1;
  readonly name: string;
  /** ISO 8601, UTC. */
  readonly started: string;
  readonly binding: RunBinding;
  readonly plan: PlanSummary;
}

/** Tells credentials apart without revealing them: millions of passwords share these few bits of SHA-256. */
export function fingerprint(credentials: Credentials): string {
  const whole = JSON.stringify([credentials.kind, secretsOf(credentials)]);
  return createHash("sha256").update(whole).digest("hex").slice(0, 8);
}

/** Reads the header of a run, if there is one. Throws `RUN_DAMAGED` if it is not what sms wrote. */
export function readHeader(path: string): RunHeader | undefined {
  let text: string;
  try {
    text = readOwnFile(path);
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
  const value = parseJson(text);
  if (isHeader(value)) return value;
  throw damaged(`${path} is broken, or of a newer sms`);
}

/** Reads the header of the run of that name, and throws `UNKNOWN_RUN` if there is none. */
export function requireHeader(name: string, path: string): RunHeader {
  const header = readHeader(path);
  if (header === undefined) throw unknownRun(name);
  return header;
}

/** Returns the error for a name that no run has. */
export function unknownRun(name: string): Error {
  return usageError("UNKNOWN_RUN", `there is no run ${JSON.stringify(name)}`, "`sms runs list` shows the runs");
}

/** Throws `RUN_CHANGED`, which names what differs from the run: service, credentials or a plan given again. */
export function refuseChanges(header: RunHeader, binding: RunBinding, plan?: PlanSummary): void {
  const changed = [
    ...differing({ ...header.binding }, { ...binding }, bindingNames),
    ...(plan === undefined ? [] : differing({ ...header.plan.digests }, { ...plan.digests }, digestNames)),
  ];
  if (changed.length === 0) return;
  throw usageError(
    "RUN_CHANGED",
    `the run ${header.name} began with another ${changed.join(", another ")}`,
    "give what it began with, or begin another run under another name",
  );
}

const bindingNames = {
  baseUrl: "base URL",
  path: "path",
  credentials: "key or account",
  mode: "mode",
} as const satisfies Record<keyof RunBinding, string>;

const digestNames = {
  recipients: "list of recipients",
  texts: "text",
  senders: "sender",
} as const satisfies Record<Exclude<keyof PlanDigests, "file">, string>;

type Texts = Readonly<Record<string, string>>;

function differing(was: Texts, is: Texts, names: Texts): readonly string[] {
  return Object.entries(names).flatMap(([key, name]) => (was[key] === is[key] ? [] : [name]));
}

function isHeader(value: unknown): value is RunHeader {
  if (!hasTexts(value, ["name", "started"])) return false;
  const { version, binding, plan } = value;
  return (
    version === 1 &&
    hasTexts(binding, Object.keys(bindingNames)) &&
    isObject(plan) &&
    Number.isInteger(plan["messages"]) &&
    Number.isInteger(plan["segments"]) &&
    hasTexts(plan["digests"], ["file", ...Object.keys(digestNames)])
  );
}

function hasTexts(value: unknown, names: readonly string[]): value is Readonly<Record<string, unknown>> {
  return isObject(value) && names.every((name) => typeof value[name] === "string");
}
