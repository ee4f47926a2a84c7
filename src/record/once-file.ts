import { createHash } from "node:crypto";
import { dirname, join } from "node:path";
import { removeFile, replaceFile, syncFolder, retryOnWindows } from "../files/durable.ts";
import { isObject, parseJson } from "../message/json.ts";
import type { Outcome } from "../message/outcome.ts";
import { usageError } from "../errors.ts";
import { type StateFolder, readIfThere } from "../files/state-folder.ts";
import { isBinding, type RunBinding } from "./header.ts";
import { decodeEntry, encodeEntry, resultEntry, outcomeFrom } from "./journal-entry.ts";

/** The name of the folder of all keys of `--once` in the state folder. */
export const onceFolder = "once";

/** The files of one key of `--once`. */
export interface OnceFiles {
  readonly state: StateFolder;
  readonly record: string;
  readonly lock: string;
}

/** What was sent, or was about to be, under a key. */
export interface OnceIntent {
  readonly version: 1;
  /** When its request was about to begin. ISO 8601, UTC. */
  readonly at: string;
  /** E.164. */
  readonly to: string;
  /** SHA-256 of each field of the message, by its noun. */
  readonly digests: Readonly<Record<string, string>>;
  readonly binding: RunBinding;
}

/** Returns the files of a key, which are named by its hash, since it may be any text. What a sandbox took uses up no other key. */
export function onceFiles(state: StateFolder, key: string, isSandbox: boolean): OnceFiles {
  const name = digest(JSON.stringify([isSandbox ? "sandbox" : "service", key])).slice(0, 32);
  const path = (ending: string) => join(state.path, onceFolder, `${name}.${ending}`);
  return { state, record: path("ndjson"), lock: path("lock") };
}

/** SHA-256 of a text, in hexadecimal. */
export function digest(text: string): string {
  return createHash("sha256").update(text).digest("hex");
}

/** Replaces the record of a key, and flushes it to the disk. Throws `NOT_WRITTEN`. */
export function writeRecord({ record }: OnceFiles, intent: OnceIntent, outcome?: Outcome): void {
  replaceFile(record, Buffer.from(recordText(intent, outcome)), 0o600);
}

function recordText(intent: OnceIntent, outcome?: Outcome): string {
  const result = outcome === undefined ? "" : encodeEntry(resultEntry(0, outcome));
  return `${JSON.stringify(intent)}\n${result}`;
}

/** Removes the record of a key if it is this intent. One that comes back after a power cut counts as uncertain. */
export function removeIntent({ record }: OnceFiles, intent: OnceIntent): void {
  if (readIfThere(record) !== recordText(intent)) return;
  retryOnWindows(() => removeFile(record));
  try {
    syncFolder(dirname(record));
  } catch {
    // It is removed for all who look.
  }
}

/** Reads the record of a key, if there is one. Throws a usage error `ONCE_DAMAGED` if it is not what sms wrote. */
export function readRecord({
  record,
}: OnceFiles): { readonly intent: OnceIntent; readonly outcome: Outcome | undefined } | undefined {
  const text = readIfThere(record);
  if (text === undefined) return undefined;
  const [first = "", result = "", ...rest] = text.split("\n");
  const intent = parseJson(first);
  const entry = decodeEntry(result);
  const isWhole = result === "" || (entry !== undefined && "index" in entry && rest.length === 1);
  if (!isIntent(intent) || !isWhole) {
    const hint = "nothing is sent under it: use another key, and find out whether the message of this one arrived";
    throw usageError("ONCE_DAMAGED", `${record}, the record of a key of --once, is broken`, hint);
  }
  const outcome = entry !== undefined && "index" in entry ? outcomeFrom(entry, intent.to) : undefined;
  return { intent, outcome };
}

function isIntent(value: unknown): value is OnceIntent {
  if (!isObject(value)) return false;
  const hasTexts = ["at", "to"].every((name) => typeof value[name] === "string");
  return (
    hasTexts &&
    isObject(value["digests"]) &&
    value["version"] === 1 &&
    !Number.isNaN(Date.parse(String(value["at"]))) &&
    isBinding(value["binding"])
  );
}
