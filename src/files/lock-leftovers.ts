import { readdirSync } from "node:fs";
import { join } from "node:path";
import { removeFile } from "./durable.ts";
import { lifeOf, readHolder, socketName, type Vantage } from "./holder.ts";
import { readText } from "./open-file.ts";
import { isPresent } from "./presence.ts";

/**
 * Removes the private files and sockets that killed processes left beside the lock. Call it only while holding the lock: a
 * process that takes it later makes sure that its own socket is still there.
 */
export async function removeLockLeftovers(vantage: Vantage): Promise<void> {
  const { folder, lockName, self } = vantage;
  for (const entry of readdirSync(folder)) {
    if (!entry.startsWith(`${lockName}.`)) continue;
    const [, token, isSocket] = /^([0-9a-f]{16})(\.s)?$/.exec(entry.slice(lockName.length + 1)) ?? [];
    if (token === undefined || token === self.token) continue;
    if (!(await isOfTheDead(vantage, entry, token, isSocket !== undefined))) continue;
    removeFile(join(folder, entry));
    removeSocket(vantage, token);
  }
}

/** A socket, and an entry that a kill cut off, do not say whose they are: nobody answers there, on a disk of our own. */
async function isOfTheDead(vantage: Vantage, entry: string, token: string, isSocket: boolean): Promise<boolean> {
  const { folder, lockName, self } = vantage;
  const holder = isSocket ? undefined : readHolder(readText(join(folder, entry)));
  if (holder !== undefined) return (await lifeOf(holder, vantage)) === "dead";
  return self.isLocal && !(await isPresent(folder, socketName(lockName, token)));
}

/** Removes the socket of a holder. */
export function removeSocket({ folder, lockName }: Pick<Vantage, "folder" | "lockName">, token: string): void {
  removeFile(join(folder, socketName(lockName, token)));
}
