import { existsSync, mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "./error-code.ts";

/** Creates a folder and its parents, mode 0700. Node's `recursive` loops forever on /proc or an unmounted home. */
export function makeFolder(path: string): void {
  if (existsSync(path)) return;
  makeFolder(dirname(path));
  try {
    mkdirSync(path, 0o700);
  } catch (error) {
    // Another process created it meanwhile.
    if (errorCode(error) !== "EEXIST") throw error;
  }
}
