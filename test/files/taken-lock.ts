import { onTestFinished } from "vitest";
import { acquireLock, type Lock } from "../../src/files/lock.ts";
import { processes } from "./this-process.ts";

/** Takes a lock that must be free, until the test ends. */
export async function take(path: string): Promise<Lock> {
  const lock = await acquireLock(path, processes);
  if (lock.kind !== "lock") throw new Error(`${path} has an owner`);
  onTestFinished(lock.release);
  return lock;
}
