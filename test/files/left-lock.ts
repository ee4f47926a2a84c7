import { readFileSync } from "node:fs";
import { hostname } from "node:os";
import type { LockOwner } from "../../src/files/lock-owner.ts";

/** The kernel's boot id; empty without /proc. */
const bootId = readBootId();

/** The text of a lock file whose owner no longer listens. */
export function leftBy(changes: Partial<LockOwner> = {}): string {
  const token = "0123456789abcdef";
  const dead = { token, machine: hostname(), pid: 2, started: "1", boot: bootId, namespace: "pid:[1]", isLocal: true };
  return `${JSON.stringify({ ...dead, listens: true, ...changes })}\n`;
}

function readBootId(): string {
  try {
    return readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim();
  } catch {
    return "";
  }
}
