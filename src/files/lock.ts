import { linkSync, readFileSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeFile, removeQuietly } from "./durable.ts";
import { SmsError, usageError } from "../errors.ts";
import type { Host, Processes } from "../host.ts";
import { errorCode, ifThere, withPath } from "./open-file.ts";
import { type Holder, type Liveness, livenessOf, type LockView, readHolder, socketName, viewOf } from "./holder.ts";
import { announce } from "./presence.ts";

export interface Lock {
  readonly kind: "lock";
  /** Whether the lock at the path is still this one: a person may have removed it, or unmounted its folder. */
  readonly isOurs: () => boolean;
  /** Gives it back; does nothing if it is no longer ours. Never throws. */
  readonly release: () => void;
}

/** An exclusive lock that another process holds, or may hold. */
export interface Held {
  readonly kind: "held";
  readonly path: string;
  /** Undefined if another version of sms wrote the file. */
  readonly holder: Holder | undefined;
  readonly life: Liveness;
}

export type Waiting = Pick<Host, "now" | "sleep" | "random"> & { readonly timeoutMs: number };

/**
 * Takes the lock of that name, or says who holds it. A stopped holder keeps the lock; a dead one loses it at once. Throws a
 * usage error if the folder cannot be written or its file system has no hard links.
 */
export async function acquireLock(path: string, processes: Processes): Promise<Lock | Held> {
  const view = viewOf(dirname(path), basename(path), processes);
  try {
    const held = await holderOf(path, view);
    return held === undefined || held.life === "dead" ? await take(path, view) : held;
  } catch (error) {
    throw error instanceof SmsError ? error : cannotLock(path, error);
  }
}

async function take(path: string, view: LockView): Promise<Lock | Held> {
  const { folder, lockName, self } = view;
  const entry = `${path}.${self.token}`;
  // The sign of life comes first: a process that reads the entry can already ask for it.
  const endPresence = await announce(folder, socketName(lockName, self.token));
  let taken: Lock | Held | undefined;
  try {
    const text = `${JSON.stringify({ ...self, listens: endPresence !== undefined } satisfies Holder)}\n`;
    writeFileSync(entry, text, { flag: "wx", mode: 0o600 });
    taken = (await claim(path, entry, view)) ?? lockOf(path, text, endPresence);
    return taken;
  } finally {
    removeQuietly(entry);
    if (taken?.kind !== "lock") endPresence?.();
  }
}

export async function withLock<T>(
  path: string,
  waiting: Waiting & { readonly processes: Processes },
  work: () => T | Promise<T>,
): Promise<T> {
  const lock = await awaitLock(path, waiting.processes, waiting);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Takes the lock, polling at random intervals. Throws `LOCKED` if one process holds it for `timeoutMs`. */
export async function awaitLock(
  path: string,
  processes: Processes,
  { now, sleep, random, timeoutMs }: Waiting,
): Promise<Lock> {
  let deadline = now() + timeoutMs;
  let token: string | undefined;
  for (;;) {
    const lock = await acquireLock(path, processes);
    if (lock.kind === "lock") return lock;
    // Another process has it now: each one may take its time.
    if (lock.holder?.token !== token) deadline = now() + timeoutMs;
    token = lock.holder?.token;
    if (now() >= deadline) {
      throw usageError(
        "LOCKED",
        `${holderText(lock)} holds ${path}`,
        "wait until it ends; if it no longer runs, remove that file",
      );
    }
    await sleep(2 + random() * 18);
  }
}

/** Returns who holds a lock, without taking it; undefined if nobody does. */
export async function heldBy(path: string, processes: Processes): Promise<Held | undefined> {
  try {
    return await holderOf(path, viewOf(dirname(path), basename(path), processes));
  } catch (error) {
    throw cannotLock(path, error);
  }
}

async function holderOf(path: string, view: LockView): Promise<Held | undefined> {
  const text = textAt(path);
  if (text === undefined) return undefined;
  const holder = readHolder(text);
  return { kind: "held", path, holder, life: await judge(text, holder, view) };
}

/** Takes a lock away from its holder, unless another has it by now. Only for a person who knows that the holder is gone. */
export function breakLock({ path, holder }: Held): void {
  if (readHolder(textAt(path) ?? "")?.token === holder?.token) removeFile(path);
}

export function holderText({ holder }: Held): string {
  return holder === undefined ? "an unknown process" : `process ${holder.pid} on ${holder.machine}`;
}

/** Gives the lock's name to the file `entry`, or returns who has it. */
async function claim(path: string, entry: string, view: LockView): Promise<Held | undefined> {
  for (;;) {
    if (isLinked(entry, path)) return undefined;
    const found = textAt(path);
    if (found === undefined) continue;
    const holder = readHolder(found);
    const life = await judge(found, holder, view);
    if (life !== "dead") return { kind: "held", path, holder, life };
    // Two processes that saw the same dead holder must not both remove the file: the second would remove the first's lock.
    const guard = await acquireLock(`${path}.takeover`, view.processes);
    if (guard.kind === "held") return guard;
    try {
      if (textAt(path) === found) unlinkSync(path);
      if (holder !== undefined) removeFile(join(view.folder, socketName(view.lockName, holder.token)));
    } finally {
      guard.release();
    }
  }
}

function lockOf(path: string, text: string, endPresence: (() => void) | undefined): Lock {
  const isOurs = () => textAt(path) === text;
  return {
    kind: "lock",
    isOurs,
    release: () => {
      try {
        if (isOurs()) removeFile(path);
      } catch {
        // It is left to the next holder, like the lock of a process that was killed.
      }
      endPresence?.();
    },
  };
}

/** Another version of sms may write other fields. Anything else is torn. */
async function judge(text: string, holder: Holder | undefined, view: LockView): Promise<Liveness> {
  if (holder !== undefined) return livenessOf(holder, view);
  return /^\{.*\}\n$/.test(text) ? "unknown" : "dead";
}

function isLinked(entry: string, path: string): boolean {
  try {
    linkSync(entry, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function cannotLock(path: string, cause: unknown): SmsError {
  return new SmsError("usage", `${path} cannot be locked (${errorCode(cause)})`, {
    errorCode: "CANNOT_LOCK",
    hint: "make sure that there is space, that you may write there, and that the file system has hard links",
    cause,
  });
}

/** Returns the text of a file. Read as bytes: Node aborts the process if it cannot close a file that it read as text. */
function textAt(path: string): string | undefined {
  try {
    return ifThere(() => readFileSync(path).toString());
  } catch (error) {
    throw withPath(error, path);
  }
}
