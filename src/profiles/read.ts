import { lstatSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { shellWord } from "../message/shell-word.ts";
import { type SmsError, usageError } from "../errors.ts";
import { errorCode } from "../files/error-code.ts";
import { type Purpose, requirePrivateFile, requirePrivateFolder } from "../files/privacy.ts";
import { parseStore } from "./parse.ts";
import type { Store } from "./stored.ts";

/** The path of the credentials file. */
export function storePath(folder: string): string {
  return join(folder, "credentials.json");
}

/** The stored credentials, if any. Throws, quoting nothing, if they are damaged or others than `uid` can read them. */
export function readStore(folder: string, uid: number | undefined): Store | undefined {
  const path = storePath(folder);
  const bytes = readPrivateFile(folder, path, uid);
  return bytes === undefined ? undefined : storeFrom(bytes, path);
}

/** Parses the bytes of the file at `path`. Throws a usage error `DAMAGED_STORE` or `NEWER_STORE`. */
function storeFrom(bytes: Uint8Array, path: string): Store {
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
  const stats = ifPresent(() => lstatSync(path), path);
  if (stats === undefined) return undefined;
  // The folder first: if only we can use it, nobody can swap the file between lstat and read.
  requirePrivateFolder(folder, uid, credentialsPurpose);
  requirePrivateFile(path, stats, uid, credentialsPurpose);
  return ifPresent(() => readFileSync(path), path);
}

function ifPresent<T>(read: () => T, path: string): T | undefined {
  try {
    return read();
  } catch (error) {
    const code = errorCode(error);
    if (code === "ENOENT" || code === "ENOTDIR") return undefined;
    throw unreachable(path, code);
  }
}

/** Decodes UTF-8. Other bytes give a text that does not parse; a lenient decoder would silently alter a password. */
function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return "\uFFFD";
  }
}

export const credentialsPurpose: Purpose = {
  errorCode: "INSECURE_STORE",
  refusal: "refused to use the stored credentials",
  instead: "a folder of your own in SMS_CONFIG_DIR",
};

function damaged(path: string, reason: string): SmsError {
  return usageError(
    "DAMAGED_STORE",
    `${path} is damaged: ${reason}`,
    `repair it, or move it away with \`mv ${shellWord(path)} ${shellWord(`${path}.damaged`)}\` and log in again with \`sms login\``,
  );
}

function newer(path: string): SmsError {
  return usageError("NEWER_STORE", `${path} was written by a newer version of sms`, "update sms");
}

export function unreachable(path: string, code: string): SmsError {
  return usageError(
    "UNREACHABLE_STORE",
    `${path} cannot be used (${code})`,
    "check its owner and permissions, or set SMS_CONFIG_DIR to another folder",
  );
}
