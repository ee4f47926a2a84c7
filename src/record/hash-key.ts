import { linkSync, lstatSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { randomToken, removeQuietly } from "../files/durable.ts";
import { makeFolder } from "../files/folder.ts";
import { errorCode } from "../files/error-code.ts";
import { readText } from "../files/open-file.ts";
import { type Purpose, requirePrivateFile, requirePrivateFolder } from "../files/privacy.ts";
import { hmac } from "./sha256.ts";

const purpose: Purpose = {
  errorCode: "INSECURE_STORE",
  refusal: "refused to use the key of the history",
  instead: "a folder of your own in SMS_CONFIG_DIR",
};

/** Bytes of the key. */
const keySize = 32;

/**
 * Returns what hashes numbers with the key of this history, which is made once, in the folder of the credentials; undefined if
 * there is no such folder or the key cannot be stored or read.
 */
export function numberHash(folder: string | undefined, uid: number | undefined): ((to: string) => string) | undefined {
  if (folder === undefined) return undefined;
  try {
    const key = readKey(folder, uid) ?? makeKey(folder, uid);
    // 64 bits tell all numbers of a history apart.
    return key && ((to) => hmac(key, to).slice(0, 16));
  } catch {
    return undefined;
  }
}

function readKey(folder: string, uid: number | undefined): Uint8Array | undefined {
  const path = join(folder, "history.key");
  const stats = lstatSync(path, { throwIfNoEntry: false });
  if (stats === undefined) return undefined;
  requirePrivateFolder(folder, uid, purpose);
  requirePrivateFile(path, stats, uid, purpose);
  const key = Buffer.from(readText(path).trim(), "hex");
  return key.length === keySize ? key : undefined;
}

/** Makes the key, or returns the one that another process has made first: a link appears whole or not at all. */
function makeKey(folder: string, uid: number | undefined): Uint8Array | undefined {
  makeFolder(folder);
  requirePrivateFolder(folder, uid, purpose);
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(keySize))).toString("hex");
  const path = join(folder, "history.key");
  const temporary = `${path}.${randomToken()}.tmp`;
  try {
    writeFileSync(temporary, `${key}\n`, { flag: "wx", mode: 0o600, flush: true });
    linkSync(temporary, path);
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  } finally {
    removeQuietly(temporary);
  }
  return readKey(folder, uid);
}
