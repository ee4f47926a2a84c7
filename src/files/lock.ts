import { randomBytes } from "node:crypto";
import { linkSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { SmsError, usageError } from "../errors.ts";
import type { Host, Processes } from "../host.ts";
import { errorCode } from "./error-code.ts";
import { lifeOf } from "./processes.ts";

/** An exclusive lock that is ours. */
export interface Lock {
  readonly kind: "lock";
  /** Gives it back; does nothing where it is no longer ours. */
  readonly release: () => void;
}

/** An exclusive lock that another process holds. */
export interface Held {
  readonly kind: "held";
  readonly pid: number;
}

/** What `withLock` waits by. */
export type Waiting = Pick<Host, "now" | "sleep" | "random"> & { readonly timeoutMs: number };

/** Who a lock file or a private file belongs to. */
interface Holder {
  readonly pid: number;
  /** As `lifeOf` gives it; empty where there was no /proc. */
  readonly started: string;
  readonly machine: string;
}

/**
 * Takes the lock of that name, or says which process holds it. A stopped holder keeps it; that of a dead one is taken
 * over. Throws a usage error where the folder cannot be written to or its file system has no hard links.
 */
export function acquireLock(path: string, processes: Processes): Lock | Held {
  const tag = newTag(processes);
  const entry = `${path}.${tag}`;
  try {
    removeEntriesOfTheDead(path, processes);
    // Written before it gets the lock's name, so that nobody ever reads half a tag there.
    writeFileSync(entry, tag, { flag: "wx", mode: 0o600 });
    return claim(path, entry, tag, processes);
  } catch (error) {
    throw error instanceof SmsError ? error : cannotLock(path, error);
  } finally {
    rmSync(entry, { force: true });
  }
}

/**
 * Does that work while holding the lock, waiting for it in short sleeps of uneven length. Throws a usage error `LOCKED`
 * where another process still holds it after `timeoutMs`.
 */
export async function withLock<T>(
  path: string,
  processes: Processes,
  { now, sleep, random, timeoutMs }: Waiting,
  work: () => T | Promise<T>,
): Promise<T> {
  const deadline = now() + timeoutMs;
  for (;;) {
    const lock = acquireLock(path, processes);
    if (lock.kind === "lock") {
      try {
        return await work();
      } finally {
        lock.release();
      }
    }
    if (now() >= deadline) {
      throw usageError(
        "LOCKED",
        `process ${lock.pid} holds ${path}`,
        "wait until it ends; if it is no sms, or was one on another machine and is gone, remove that file",
      );
    }
    await sleep(2 + random() * 18);
  }
}

function claim(path: string, entry: string, tag: string, processes: Processes): Lock | Held {
  for (;;) {
    if (tryLink(entry, path)) return { kind: "lock", release: () => removeIfStill(path, tag) };
    const found = readTag(path);
    if (found === undefined) continue;
    const holder = readHolder(found);
    if (holder !== undefined && isAlive(holder, processes)) return { kind: "held", pid: holder.pid };
    // Two that both saw the dead must not both remove what bears its name: the second would remove the first's lock.
    const guard = acquireLock(`${path}.takeover`, processes);
    if (guard.kind === "held") return guard;
    try {
      removeIfStill(path, found);
    } finally {
      guard.release();
    }
  }
}

function tryLink(entry: string, path: string): boolean {
  try {
    linkSync(entry, path);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    throw error;
  }
}

function readTag(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8");
  } catch (error) {
    if (errorCode(error) === "ENOENT") return undefined;
    throw error;
  }
}

function removeIfStill(path: string, tag: string): void {
  if (readTag(path) === tag) unlinkSync(path);
}

/** A tag names one taking of a lock, never to come again. It stands in the lock and ends the private file's name. */
function newTag({ pid }: Processes): string {
  const started = lifeOf(pid)?.started ?? "";
  return [pid, started, randomBytes(8).toString("hex"), encodeURIComponent(hostname())].join(",");
}

/** The holder in a tag or in a name that ends in one. What a power cut left of a lock has none. */
function readHolder(text: string): Holder | undefined {
  const [, pid, started = "", machine = ""] = /(?:^|\.)(\d+),(\d*),[0-9a-f]{16},(.*)$/.exec(text) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), started, machine };
}

/** Whether the holder may still be at work. One on another machine, or in another container, cannot be looked up. */
function isAlive({ pid, started, machine }: Holder, processes: Processes): boolean {
  if (machine !== encodeURIComponent(hostname())) return true;
  if (!processes.exists(pid)) return false;
  const life = lifeOf(pid);
  if (life === undefined || started === "") return true;
  // Ids are used again: only one that began when the holder did is the holder.
  return life.runs && life.started === started;
}

function removeEntriesOfTheDead(path: string, processes: Processes): void {
  const folder = dirname(path);
  const prefix = `${basename(path)}.`;
  for (const name of readdirSync(folder)) {
    const holder = name.startsWith(prefix) ? readHolder(name) : undefined;
    if (holder !== undefined && !isAlive(holder, processes)) rmSync(join(folder, name), { force: true });
  }
}

function cannotLock(path: string, cause: unknown): SmsError {
  const code = errorCode(cause);
  const isLink = cause instanceof Error && "syscall" in cause && cause.syscall === "link";
  const hasNoLinks = isLink && ["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(code);
  return new SmsError(
    "usage",
    hasNoLinks
      ? `${path} cannot be locked: the file system there has no hard links (${code})`
      : `${path} cannot be locked (${code})`,
    {
      errorCode: "CANNOT_LOCK",
      hint: hasNoLinks
        ? "set SMS_CONFIG_DIR and SMS_STATE_DIR to folders on a file system that has them"
        : "make sure that there is space and that you may write there",
      cause,
    },
  );
}
