import { accessSync, constants, existsSync, statfsSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Returns how many bytes may still be written in a folder, which need not exist yet. Throws the system's error if none may
 * be written there, and `ENOTDIR` as a code if a file is in the way.
 */
export function roomIn(path: string): number {
  const folder = nearest(path);
  // A folder cannot be made below a file, and root may write anywhere.
  if (!statSync(folder).isDirectory()) throw Object.assign(new Error(`${folder} is not a folder`), { code: "ENOTDIR" });
  accessSync(folder, constants.W_OK | constants.X_OK);
  const { bavail, bsize, files, ffree } = statfsSync(folder);
  // Some file systems do not count files.
  return files > 0 && ffree === 0 ? 0 : bavail * bsize;
}

/** Returns the folder, or its nearest parent that exists. */
function nearest(path: string): string {
  return existsSync(path) ? path : nearest(dirname(path));
}
