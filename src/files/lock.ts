import { randomBytes } from "node:crypto";
import { linkSync, readdirSync, readFileSync, rmSync, unlinkSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { basename, dirname, join } from "node:path";
import { SmsError, usageError } from "../errors.ts";
import type { Host, Processes } from "../host.ts";
import { errorCode } from "./error-code.ts";
import { processStat } from "./processes.ts";

/** A lock that this process holds. */
export interface Lock {
  readonly kind: "lock";
  /** Does nothing if the lock is no longer ours. */
  readonly release: () => void;
}

/** A lock that another process holds. */
export interface Held {
  readonly kind: "held";
  readonly pid: number;
}

/** How `withLock` waits. */
export type Waiting = Pick<Host, "now" | "sleep" | "random"> & { readonly timeoutMs: number };

/** The owner of a lock file or of a temporary file beside it. */
interface Holder {
  readonly pid: number;
  /** From `processStat`; empty without /proc. */
  readonly started: string;
  readonly machine: string;
}

/**
 * Takes the lock, or returns the process that holds it. A stopped process keeps its lock; a dead one loses it. Throws a
 * usage error `CANNOT_LOCK` if the folder is not writable or its file system has no hard links.
 */
export function acquireLock(path: string, processes: Processes): Lock | Held {
  const tag = newTag(processes);
  const entry = `${path}.${tag}`;
  try {
    removeEntriesOfTheDead(path, processes);
    // Written first and linked then, so that no process can read half a tag.
    writeFileSync(entry, tag, { flag: "wx", mode: 0o600 });
    return claim(path, entry, tag, processes);
  } catch (error) {
    throw error instanceof SmsError ? error : cannotLock(path, error);
  } finally {
    rmSync(entry, { force: true });
  }
}

/** Runs `work` under the lock, polling at random intervals. Throws `LOCKED` if it is not free within `timeoutMs`. */
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
        "wait until it ends; if that process is not sms, or ran on another machine and is gone, delete the file",
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
    // If two processes both found the holder dead, the second would otherwise remove the lock of the first.
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

/** A unique tag: the content of the lock file and the suffix of the temporary file. */
function newTag({ pid }: Processes): string {
  const started = processStat(pid)?.started ?? "";
  return [pid, started, randomBytes(8).toString("hex"), encodeURIComponent(hostname())].join(",");
}

/** The holder in a tag or in a file name that ends with one; undefined if a power cut truncated it. */
function readHolder(text: string): Holder | undefined {
  const [, pid, started = "", machine = ""] = /(?:^|\.)(\d+),(\d*),[0-9a-f]{16},(.*)$/.exec(text) ?? [];
  return pid === undefined ? undefined : { pid: Number(pid), started, machine };
}

/** Whether the holder may be alive; one on another machine or in another container is assumed to be. */
function isAlive({ pid, started, machine }: Holder, processes: Processes): boolean {
  if (machine !== encodeURIComponent(hostname())) return true;
  if (!processes.exists(pid)) return false;
  const stat = processStat(pid);
  if (stat === undefined || started === "") return true;
  // Process ids are reused; the start time tells them apart.
  return stat.runs && stat.started === started;
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
      ? `${path} cannot be locked: its file system has no hard links (${code})`
      : `${path} cannot be locked (${code})`,
    {
      errorCode: "CANNOT_LOCK",
      hint: hasNoLinks
        ? "set SMS_CONFIG_DIR and SMS_STATE_DIR to folders on a file system with hard links"
        : "check free space and write permission",
      cause,
    },
  );
}
