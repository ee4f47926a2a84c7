import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "./error-code.ts";

/**
 * Makes a folder for its owner alone, and those above it that are missing. Throws what the system says. Node's own way,
 * `recursive`, never ends on a file system that has no such folder and makes none, as /proc or a home that is not mounted.
 */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    // Another process was first.
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
