import { lstatSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { errorCode } from "../files/error-code.ts";
import { parseStore } from "./parse.ts";
import { requirePrivateFile, requirePrivateFolder } from "./privacy.ts";
import { damaged, newer, unreachable } from "./store-faults.ts";
import type { Store } from "./stored.ts";

/** Where the credentials are kept in their folder. */
export function storePath(folder: string): string {
  return join(folder, "credentials.json");
}

/**
 * The stored credentials; undefined where none were ever stored. Throws a usage error that quotes nothing of the file
 * where others can read it, or it is damaged. `uid` is our user's, undefined on Windows.
 */
export function readStore(folder: string, uid: number | undefined): Store | undefined {
  const path = storePath(folder);
  const bytes = readPrivateFile(folder, path, uid);
  return bytes === undefined ? undefined : storeFrom(bytes, path);
}

/** The store in those bytes, which `path` is said to hold. Throws as `readStore` does. */
export function storeFrom(bytes: Uint8Array, path: string): Store {
  const parsed = parseStore(textOf(bytes));
  switch (parsed.kind) {
    case "store":
      return parsed.store;
    case "newer":
      throw newer(path);
    case "damaged":
      throw damaged(path, parsed.reason);
  }
}

function readPrivateFile(folder: string, path: string, uid: number | undefined): Uint8Array | undefined {
  const stats = look(() => lstatSync(path), path);
  if (stats === undefined) return undefined;
  // The folder first: where it is ours alone, nobody can exchange the file between the look and the reading.
  requirePrivateFolder(folder, statSync(folder), uid);
  requirePrivateFile(path, stats, uid);
  return look(() => readFileSync(path), path);
}

function look<T>(at: () => T, path: string): T | undefined {
  try {
    return at();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreachable(path, code);
  }
}

/** Bytes that are not UTF-8 become a text that no store is, where a lenient reading would alter a password in silence. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "\uFFFD";
  }
}
