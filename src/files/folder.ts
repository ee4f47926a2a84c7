import { existsSync, fsyncSync, mkdirSync, openSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode, useFile } from "./open-file.ts";

export function syncFolder(folder: string): void {
  try {
    const file = openSync(folder, "r");
    useFile(file, folder, () => fsyncSync(file));
  } catch (error) {
    // Windows cannot open folders; some network file systems cannot flush them.
    if (!["EISDIR", "EPERM", "EACCES", "EINVAL", "ENOTSUP"].includes(errorCode(error))) throw error;
  }
}

/** Node's `recursive` loops forever on /proc or an unmounted home. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  syncFolder(dirname(path));
}
