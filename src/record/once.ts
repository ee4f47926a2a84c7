import { existsSync } from "node:fs";
import { dirname } from "node:path";
import { fieldTexts, type Message } from "../message/fields.ts";
import type { Outcome } from "../message/outcome.ts";
import { interruption, usageError } from "../errors.ts";
import { removeLeftovers, syncFolder, makeFolder } from "../files/durable.ts";
import { awaitLock, type Lock } from "../files/lock.ts";
import { notRecordable, requirePrivateState } from "../files/state-folder.ts";
import type { Host } from "../host.ts";
import { bindingOf, changesOf, type RunDestination } from "./header.ts";
import { noResult } from "./journal-entry.ts";
import {
  digest,
  type OnceFiles,
  onceFolder,
  type OnceIntent,
  readRecord,
  removeIntent,
  writeRecord,
} from "./once-file.ts";

/** What a command asks for under a key, and every later command with that key must ask for. */
export interface OnceRequest {
  readonly message: Message;
  readonly destination: RunDestination;
}

/** What is known of a key that was used. */
export interface OnceRecord {
  readonly intent: OnceIntent;
  /** Accepted or uncertain: nothing else uses a key up. */
  readonly outcome: Outcome;
  /** Whether the command that used it ended before it could record the outcome. */
  readonly isOpen: boolean;
}

/** Waits for the lock of a key, `timeoutMs` for each holder. Throws `LOCKED`, or that the state cannot be written. */
export async function lockOnce(
  files: OnceFiles,
  host: Pick<Host, "interruption" | "now" | "processes" | "random" | "sleep">,
  timeoutMs: number,
): Promise<Lock> {
  const { state, lock } = files;
  const { stop } = host.interruption();
  const sleep = async (ms: number) => {
    await host.sleep(ms, stop);
    if (stop.aborted) throw interruption(stop, "unsent");
  };
  requirePrivateState(state, onceFolder);
  makeOnceFolder(dirname(lock));
  // Again: another user may have been first to make it.
  requirePrivateState(state, onceFolder);
  return awaitLock(lock, host.processes, { now: host.now, random: host.random, sleep, timeoutMs });
}

function makeOnceFolder(folder: string): void {
  if (existsSync(folder)) return;
  try {
    makeFolder(folder);
    syncFolder(dirname(folder));
  } catch (error) {
    throw notRecordable(error, "message");
  }
}

/**
 * Returns what is recorded under a key; undefined if nothing is, or if it was accepted `lifetime` milliseconds or longer
 * before `now`. Throws a usage error `ONCE_CHANGED` if the key was used for something else, and `ONCE_DAMAGED`.
 */
export function recall(
  files: OnceFiles,
  request: OnceRequest,
  lifetime: number | undefined,
  now: number,
): OnceRecord | undefined {
  const stored = readRecord(files);
  if (stored === undefined) return undefined;
  const { intent, outcome = noResult } = stored;
  // What was provably not sent uses no key up.
  if (outcome.kind === "rejected" || outcome.kind === "unsent") return undefined;
  const isOver = lifetime !== undefined && now - Date.parse(intent.at) >= lifetime;
  if (outcome.kind === "accepted" && isOver) return undefined;
  refuseOther(intent, request);
  return { intent, outcome, isOpen: stored.outcome === undefined };
}

function refuseOther(intent: OnceIntent, request: OnceRequest): void {
  const wanted = intentFor(request, 0);
  const others = [
    ...Object.keys(wanted.digests).filter((noun) => intent.digests[noun] !== wanted.digests[noun]),
    ...changesOf(intent, request.destination),
  ];
  if (others.length === 0) return;
  const hint = "give another key for another message";
  throw usageError("ONCE_CHANGED", `this --once key was used with another ${others.join(", another ")}`, hint);
}

/** Returns the intent of a message whose request is about to begin, at `now` in milliseconds since 1970. */
export function intentFor({ message, destination }: OnceRequest, now: number): OnceIntent {
  return {
    version: 1,
    at: new Date(now).toISOString(),
    to: message.to,
    digests: Object.fromEntries([...fieldTexts(message)].map(([noun, text]) => [noun, digest(text)])),
    binding: bindingOf(destination),
  };
}

/**
 * Records an intent: from now on the key is used. Call it under the lock, and send only after it returned. Throws `NOT_WRITTEN`,
 * or `LOCKED` if a person took the lock away.
 */
export function begin(files: OnceFiles, intent: OnceIntent, { isOurs }: Lock): void {
  removeLeftovers(files.record);
  writeRecord(files, intent);
  if (!isOurs()) throw usageError("LOCKED", `${files.lock} was removed or replaced`, "use another key");
}

/** Frees the key of an intent whose message was not sent, unless another command has the key by now. Throws if it cannot. */
export function withdraw(files: OnceFiles, intent: OnceIntent, { isOurs }: Lock): void {
  if (isOurs()) removeIntent(files, intent);
}

/** Records the outcome under the lock, which frees the key if nothing was sent. Throws if it cannot be written. */
export function settle(files: OnceFiles, intent: OnceIntent, outcome: Outcome, lock: Lock): void {
  if (outcome.kind === "rejected" || outcome.kind === "unsent") withdraw(files, intent, lock);
  else writeRecord(files, intent, outcome);
}
