import { linkSync, readdirSync, readFileSync, renameSync, unlinkSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { removeFile, removeQuietly } from "./durable.ts";
import { SmsError, usageError } from "../errors.ts";
import type { Machine, Processes } from "../host.ts";
import { errorCode, ifThere, withPath } from "./file-system.ts";
import {
  type LockOwner,
  type Liveness,
  livenessOf,
  type LockView,
  readLockOwner,
  socketName,
  viewOf,
} from "./lock-owner.ts";
import { announce, isPresent, type Presence } from "./presence.ts";

export interface Lock {
  readonly kind: "lock";
  /** A person may have removed the lock, or unmounted its folder. */
  readonly isOurs: () => boolean;
  /** Never throws. */
  readonly release: () => void;
}

export interface TakenLock {
  readonly kind: "taken";
  readonly path: string;
  /** Undefined if another version of sms wrote the file. */
  readonly owner: LockOwner | undefined;
  readonly life: Liveness;
  /** The content of the file. */
  readonly text: string;
}

type Waiting = Pick<Machine, "now" | "processes" | "random" | "sleep">;

interface Claim {
  readonly path: string;
  readonly entry: string;
  readonly text: string;
  readonly view: LockView;
  readonly presence: Presence | undefined;
}

/** Only a dead owner loses the lock. Throws a usage error if the folder allows no file or no hard link. */
export async function acquireLock(path: string, processes: Processes): Promise<Lock | TakenLock> {
  const view = viewOf(dirname(path), basename(path), processes);
  try {
    const other = await ownerOf(path, view);
    return other === undefined || other.life === "dead" ? await take(path, view) : other;
  } catch (error) {
    throw error instanceof SmsError ? error : cannotLock(path, error);
  }
}

async function take(path: string, view: LockView): Promise<Lock | TakenLock> {
  const { folder, lockName, self } = view;
  const entry = `${path}.${self.token}`;
  // A process that reads the entry asks for our sign of life, so that comes first.
  const presence = await announce(folder, socketName(lockName, self.token));
  let lock: Lock | TakenLock | undefined;
  try {
    const text = `${JSON.stringify({ ...self, listens: presence !== undefined } satisfies LockOwner)}\n`;
    writeFileSync(entry, text, { flag: "wx", mode: 0o600 });
    lock = await claim({ path, entry, text, view, presence });
    // If this fails, the next owner cleans up.
    if (lock.kind === "lock") await removeLockLeftovers(view).catch(() => {});
    return lock;
  } finally {
    removeQuietly(entry);
    if (lock?.kind !== "lock") presence?.end();
  }
}

/** A change takes milliseconds: after 10 seconds the owner of the lock is stuck. */
export async function withLock<T>(
  path: string,
  machine: Waiting,
  work: () => T | Promise<T>,
  timeoutMs = 10_000,
): Promise<T> {
  const lock = await awaitLock(path, machine, timeoutMs);
  try {
    return await work();
  } finally {
    lock.release();
  }
}

/** Takes the lock, polling at random intervals. Throws `LOCKED` if one process has it for `timeoutMs`. */
export async function awaitLock(
  path: string,
  { now, processes, random, sleep }: Waiting,
  timeoutMs: number,
): Promise<Lock> {
  let deadline = now() + timeoutMs;
  let token: string | undefined;
  for (;;) {
    const lock = await acquireLock(path, processes);
    if (lock.kind === "lock") return lock;
    if (lock.owner?.token !== token) deadline = now() + timeoutMs;
    token = lock.owner?.token;
    if (now() >= deadline) {
      const hint = "wait until it ends; if it no longer runs, remove that file";
      throw usageError("LOCKED", `${ownerText(lock)} has the lock ${path}`, hint);
    }
    await sleep(2 + random() * 18);
  }
}

export async function ownerOfLock(path: string, processes: Processes): Promise<TakenLock | undefined> {
  try {
    return await ownerOf(path, viewOf(dirname(path), basename(path), processes));
  } catch (error) {
    throw cannotLock(path, error);
  }
}

async function ownerOf(path: string, view: LockView): Promise<TakenLock | undefined> {
  const text = textAt(path);
  if (text === undefined) return undefined;
  const owner = readLockOwner(text);
  // Another version of sms writes a whole line, and a kill leaves a part of one.
  const isWhole = /^\{.*\}\n$/.test(text);
  const life = owner === undefined ? (isWhole ? "unknown" : "dead") : await livenessOf(owner, view);
  return { kind: "taken", path, owner, life, text };
}

/** Only a person who knows that the owner is gone may ask for this. */
export function breakLock({ path, owner }: TakenLock): void {
  if (readLockOwner(textAt(path) ?? "")?.token === owner?.token) removeFile(path);
}

export function ownerText({ owner }: TakenLock): string {
  return owner === undefined ? "an unknown process" : `process ${owner.pid} on ${owner.machine}`;
}

async function claim(attempt: Claim): Promise<Lock | TakenLock> {
  const { path, entry, view, presence } = attempt;
  for (;;) {
    const link = tryLink(entry, path);
    if (link === "made" && presence?.isThere() !== false) return lockOf(attempt);
    if (link !== "exists") {
      // Another process may delete our socket before it listens. Then we start over.
      lockOf(attempt).release();
      return acquireLock(path, view.processes);
    }
    const other = await ownerOf(path, view);
    if (other === undefined) continue;
    if (other.life !== "dead") return other;
    // Two processes that saw the same dead owner must not both remove the file: the second would remove the first's lock.
    const takeover = await acquireLock(`${path}.takeover`, view.processes);
    if (takeover.kind === "taken") return takeover;
    try {
      if (textAt(path) === other.text) unlinkSync(path);
      if (other.owner !== undefined) removeSocket(view, other.owner.token);
    } finally {
      takeover.release();
    }
  }
}

function lockOf({ path, entry, text, presence }: Claim): Lock {
  const isOurs = () => textAt(path) === text;
  return {
    kind: "lock",
    isOurs,
    release: () => {
      try {
        // If we are killed after the rename, the entry tells others to remove our socket.
        if (isOurs()) renameSync(path, entry);
      } catch {
        // The next owner removes the rest.
      }
      presence?.end();
      removeQuietly(entry);
    },
  };
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
  const hint = "make sure that there is space, that you may write there, and that the file system has hard links";
  return usageError("CANNOT_LOCK", `${path} cannot be locked (${errorCode(cause)})`, { hint, cause });
}

/** Only the owner of the lock may call this. A process that takes the lock later checks its own socket. */
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

/** An entry that a kill cut short names no owner; on a local disk a socket that nobody answers is dead. */
async function isOfTheDead(
  view: LockView,
  { entry, token, isSocket }: { readonly entry: string; readonly token: string; readonly isSocket: boolean },
): Promise<boolean> {
  const { folder, lockName, self } = view;
  const owner = isSocket ? undefined : readLockOwner(readText(join(folder, entry)));
  if (owner !== undefined) return (await livenessOf(owner, view)) === "dead";
  return self.isLocal && !(await isPresent(folder, socketName(lockName, token)));
}

function removeSocket({ folder, lockName }: Pick<LockView, "folder" | "lockName">, token: string): void {
  removeFile(join(folder, socketName(lockName, token)));
}

/** Node aborts if it cannot close a file that it read as text, so this reads bytes. */
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
