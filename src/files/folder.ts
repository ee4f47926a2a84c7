import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { syncFolder } from "./durable.ts";
import { errorCode } from "./error-code.ts";

/**
 * Creates a folder and its parents, mode 0700, and flushes each to the disk: what is flushed in it would be lost with it.
 * Node's `recursive` loops forever on /proc or an unmounted home.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    // Another process created it meanwhile.
    if (errorCode(error) !== "EEXIST") throw error;
  }
  syncFolder(dirname(path));
}
