import { isObject, parseJson } from "../core/json.ts";
import type { SandboxMessage, SandboxRefusal } from "./account.ts";
import type { Entries, Entry } from "./history.ts";

type KeptEntry = Entry<SandboxMessage, SandboxRefusal>;

/** The first line of a file, by which it is recognised. */
const header = `{"format":"sms-sandbox-messages","version":1}`;

const notKept = "it is not a file of sandbox messages";

/** What a file has; `lines` counts its entries, and `isTorn` says that it does not end with a whole line. */
interface KeptLines extends Entries<SandboxMessage, SandboxRefusal> {
  readonly lines: number;
  readonly isTorn: boolean;
}

/** Returns the line of an entry, without the id of a request: requests are not kept. */
export function lineOf(entry: KeptEntry): Uint8Array {
  const kept = "refusal" in entry ? { refusal: { ...entry.refusal, requestId: undefined } } : entry;
  return Buffer.from(`${JSON.stringify(kept)}\n`);
}

/** Returns a whole file. */
export function fileOf({ messages, refusals }: Entries<SandboxMessage, SandboxRefusal>): Uint8Array {
  return Buffer.concat([
    Buffer.from(`${header}\n`),
    ...messages.map((message) => lineOf({ message })),
    ...refusals.map((refusal) => lineOf({ refusal })),
  ]);
}

/** Reads a file without what follows its last whole line. An empty file is torn. Throws an error that names a wrong line. */
export function readKept(bytes: Buffer): KeptLines {
  const messages: SandboxMessage[] = [];
  const refusals: SandboxRefusal[] = [];
  let [start, lines] = [0, 0];
  for (let end = bytes.indexOf("\n"); end !== -1; end = bytes.indexOf("\n", start)) {
    const line = bytes.toString("utf8", start, end);
    start = end + 1;
    lines++;
    if (lines === 1) {
      if (line !== header) throw new Error(notKept);
      continue;
    }
    const entry = parseJson(line);
    if (isObject(entry) && isMessage(entry["message"])) messages.push(entry["message"]);
    else if (isObject(entry) && isRefusal(entry["refusal"])) refusals.push(entry["refusal"]);
    else throw new Error(`line ${lines} is not a message of a sandbox`);
  }
  const rest = bytes.toString("utf8", start, start + header.length);
  if (lines === 0 && !header.startsWith(rest)) throw new Error(notKept);
  return { messages, refusals, lines: Math.max(0, lines - 1), isTorn: lines === 0 || start < bytes.length };
}

type Check = (value: unknown) => boolean;

const text: Check = (value) => typeof value === "string";
const count: Check = (value) => typeof value === "number";
const optional: Check = (value) => value === undefined || text(value);
const mode: Check = (value) => value === "test" || value === "live" || value === "account";

const message: Readonly<Record<keyof SandboxMessage, Check>> = {
  messageId: text,
  to: text,
  senderId: text,
  message: text,
  encoding: (value) => value === "GSM-7" || value === "UCS-2",
  parts: (value) => Array.isArray(value) && value.every(text),
  segments: count,
  totalCredits: count,
  totalCostKes: count,
  mode,
  key: optional,
  at: text,
  fault: optional,
};

const refusal: Readonly<Record<keyof SandboxRefusal, Check>> = {
  at: text,
  to: text,
  senderId: optional,
  message: optional,
  mode: (value) => value === undefined || mode(value),
  key: optional,
  reason: optional,
  status: count,
  errorCode: optional,
  fault: optional,
  requestId: (value) => value === undefined,
};

function isMessage(value: unknown): value is SandboxMessage {
  return fits(value, message);
}

function isRefusal(value: unknown): value is SandboxRefusal {
  return fits(value, refusal);
}

function fits(value: unknown, shape: Readonly<Record<string, Check>>): boolean {
  return isObject(value) && Object.entries(shape).every(([name, check]) => check(value[name]));
}
