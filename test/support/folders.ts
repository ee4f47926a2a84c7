import { chmodSync, cpSync, mkdirSync, mkdtempSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** `suite.ts` removes the folder with all others. */
export function temporaryFolder(): string {
  return mkdtempSync(join(tmpdir(), "sms-"));
}

/** The variables by which `sms` keeps credentials and state in this folder. */
export function foldersIn(folder: string) {
  return { SMS_CONFIG_DIR: join(folder, "config"), SMS_STATE_DIR: join(folder, "state") };
}

/** Writes a list that `@NAME` names. */
export function writeGroup(config: string, name: string, content: string): void {
  const folder = join(config, "groups");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, name), content);
}

/** The variables are for a command that keeps everything in the folder. */
export function ownFolder() {
  const folder = temporaryFolder();
  return { folder, env: { HOME: folder, ...foldersIn(folder) } };
}

/** Copies a folder that nobody else can open. Some versions of Node 22 and 24 open a copied folder to others. */
export function copyPrivate(from: string, to: string): void {
  cpSync(from, to, { recursive: true });
  for (const entry of readdirSync(to, { recursive: true, withFileTypes: true })) {
    if (entry.isDirectory()) chmodSync(join(entry.parentPath, entry.name), 0o700);
  }
}
