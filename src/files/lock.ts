import { linkSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeFile, removeQuietly } from "./durable.ts";
import { SmsError, usageError } from "../errors.ts";
import type { Host, Processes } from "../host.ts";
import { errorCode, ifThere, withPath } from "./open-file.ts";
import { type Holder, type Liveness, livenessOf, type LockView, readHolder, socketName, viewOf } from "./holder.ts";
import { announce, isPresent, type Presence } from "./presence.ts";

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

interface Claim {
  readonly path: string;
  /** The private file that gets the lock's name, and its text. */
  readonly entry: string;
  readonly text: string;
  readonly view: LockView;
  readonly presence: Presence | undefined;
}

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
  const presence = await announce(folder, socketName(lockName, self.token));
  let taken: Lock | Held | undefined;
  try {
    const text = `${JSON.stringify({ ...self, listens: presence !== undefined } satisfies Holder)}\n`;
    writeFileSync(entry, text, { flag: "wx", mode: 0o600 });
    taken = await claim({ path, entry, text, view, presence });
    // If this fails, the next holder does it.
    if (taken.kind === "lock") await removeLockLeftovers(view).catch(() => {});
    return taken;
  } finally {
    removeQuietly(entry);
    if (taken?.kind !== "lock") presence?.end();
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

async function claim(own: Claim): Promise<Lock | Held> {
  const { path, entry, view, presence } = own;
  for (;;) {
    const link = tryLink(entry, path);
    if (link === "made" && presence?.isThere() !== false) return lockOf(own);
    if (link !== "exists") return claimAgain(own);
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
      if (holder !== undefined) removeSocket(view, holder.token);
    } finally {
      guard.release();
    }
  }
}

/** A holder before us took our socket for a leftover, a moment before it listened, or then our entry. */
function claimAgain(own: Claim): Promise<Lock | Held> {
  lockOf(own).release();
  return acquireLock(own.path, own.view.processes);
}

function lockOf({ path, entry, text, presence }: Claim): Lock {
  const isOurs = () => textAt(path) === text;
  return {
    kind: "lock",
    isOurs,
    release: () => {
      try {
        // Renamed first: if we are killed now, the entry tells others to remove our socket.
        if (isOurs()) renameSync(path, entry);
      } catch {
        // It is left to the next holder, like the lock of a process that was killed.
      }
      presence?.end();
      removeQuietly(entry);
    },
  };
}

/** Another version of sms may write other fields. Anything else is torn. */
async function judge(text: string, holder: Holder | undefined, view: LockView): Promise<Liveness> {
  if (holder !== undefined) return livenessOf(holder, view);
  return /^\{.*\}\n$/.test(text) ? "unknown" : "dead";
}

function tryLink(entry: string, path: string): "made" | "exists" | "no entry" {
  try {
    linkSync(entry, path);
    return "made";
  } catch (error) {
    if (errorCode(error) === "EEXIST") return "exists";
    if (errorCode(error) === "ENOENT") return "no entry";
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

/**
 * Removes the private files and sockets that killed processes left beside the lock. Call it only while holding the lock: a
 * process that takes it later makes sure that its own socket is still there.
 */
async function removeLockLeftovers(view: LockView): Promise<void> {
  const { folder, lockName, self } = view;
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(`${lockName}.`)) continue;
    const [, token, isSocket] = /^([0-9a-f]{16})(\.s)?$/.exec(entry.slice(lockName.length + 1)) ?? [];
    if (token === undefined || token === self.token) continue;
    if (!(await isOfTheDead(view, { entry, token, isSocket: isSocket !== undefined }))) continue;
    removeFile(join(folder, entry));
    removeSocket(view, token);
  }
}

/** A socket, and an entry that a kill cut off, do not say whose they are: nobody answers there, on a disk of our own. */
async function isOfTheDead(
  view: LockView,
  { entry, token, isSocket }: { readonly entry: string; readonly token: string; readonly isSocket: boolean },
): Promise<boolean> {
  const { folder, lockName, self } = view;
  const holder = isSocket ? undefined : readHolder(readText(join(folder, entry)));
  if (holder !== undefined) return (await livenessOf(holder, view)) === "dead";
  return self.isLocal && !(await isPresent(folder, socketName(lockName, token)));
}

function removeSocket({ folder, lockName }: Pick<LockView, "folder" | "lockName">, token: string): void {
  removeFile(join(folder, socketName(lockName, token)));
}

/** Returns the text of a file. Read as bytes: Node aborts the process if it cannot close a file that it read as text. */
function textAt(path: string): string | undefined {
  return ifThere(() => readText(path));
}

function readText(path: string): string {
  try {
    return readFileSync(path).toString();
  } catch (error) {
    throw withPath(error, path);
  }
}
