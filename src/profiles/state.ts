import { closeSync, constants, readFileSync, renameSync, writeFileSync, writeSync } from "node:fs";
import { basename, join } from "node:path";
import { removeFile, retryOnWindows } from "../files/durable.ts";
import type { Address } from "../message/address.ts";
import type { Credentials } from "../message/credentials.ts";
import { isObject, parseJson } from "../message/json.ts";
import type { Outcome, Receipt } from "../message/outcome.ts";
import { openOrMakeFile, readOwnFile, requirePrivateState, type StateFolder } from "../files/state-folder.ts";

/** Cached balance, price and last use per account. Dates are ISO 8601 in UTC. */
export interface State {
  readonly balance?: { readonly credits: number; readonly at: string };
  readonly price?: { readonly kesPerCredit: number; readonly at: string };
  readonly lastUsed?: string;
}

const folderName = "payers";

/** The length from which a file of states is replaced by the last of them. Some 40 states have it. Bytes. */
const longFile = 8 * 1024;

/**
 * A name for the account at that service that reveals no secret: the hash is too short to tell which key it is of, and it
 * leaves out the password of an account, which could be guessed from it.
 */
export function payerId({ origin, basePath }: Address, credentials: Credentials): string {
  const payer = credentials.kind === "key" ? ["key", credentials.key.secret] : ["account", credentials.email];
  return shortHash(JSON.stringify([origin + basePath, ...payer]));
}

/** 32-bit FNV-1a in hexadecimal: no security, but it needs no module, and loading node:crypto slows the start. */
export function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** The cached state; empty if the file is absent, damaged or unreadable, or if there is no folder or others can use it. */
export function readState(folder: StateFolder | undefined, payer: string): State {
  if (folder === undefined) return {};
  try {
    requirePrivateState(folder, folderName);
    return lastState(readOwnFile(statePath(folder, payer)));
  } catch {
    return {};
  }
}

/**
 * Merges `update` into the cached state. The last writer wins; never throws and never flushes, since it is only a cache.
 * Writes nothing where others could read or redirect it. A state is a line at the end of a file, which is replaced once it is
 * long: replacing it each time takes ten times as long on ext4, which begins to flush a file that takes another's name.
 */
export function updateState(folder: StateFolder, payer: string, update: State): void {
  try {
    const path = statePath(folder, payer);
    const file = openOrMakeFile(folder, folderName, basename(path), constants.O_RDWR | constants.O_APPEND);
    let line: string;
    let isLong: boolean;
    try {
      const old = readFileSync(file, "utf8");
      line = `${JSON.stringify({ ...lastState(old), ...update })}\n`;
      isLong = old.length >= longFile;
      // The line end in front ends a line that a kill cut short.
      if (!isLong) writeSync(file, `\n${line}`);
    } finally {
      closeSync(file);
    }
    // Windows replaces no file that is open.
    if (isLong) replace(path, line);
  } catch {
    // The next update caches its own.
  }
}

/** Caches the time of use and, from a receipt, balance and price, if there is a folder for them. `now` in milliseconds since 1970. */
export function cacheOutcome(
  folder: StateFolder | undefined,
  { address, credentials }: { readonly address: Address; readonly credentials: Credentials },
  outcome: Outcome,
  now: number,
): void {
  if (folder === undefined || outcome.kind === "unsent") return;
  const at = new Date(now).toISOString();
  const receipt: Partial<Receipt> = outcome.kind === "accepted" ? outcome.receipt : {};
  const { newBalance, totalCredits, totalCostKes } = receipt;
  updateState(folder, payerId(address, credentials), {
    lastUsed: at,
    ...(newBalance !== undefined && { balance: { credits: newBalance, at } }),
    ...(totalCredits !== undefined &&
      totalCostKes !== undefined &&
      totalCredits > 0 && {
        price: { kesPerCredit: Math.round((totalCostKes / totalCredits) * 1e6) / 1e6, at },
      }),
  });
}

function statePath(folder: StateFolder, payer: string): string {
  return join(folder.path, folderName, `${payer}.json`);
}

function replace(path: string, line: string): void {
  const temporary = `${path}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    writeFileSync(temporary, line, { flag: "wx", mode: 0o600 });
    retryOnWindows(() => renameSync(temporary, path));
  } catch (error) {
    removeFile(temporary);
    throw error;
  }
}

/** The state of the last line that is whole. */
function lastState(text: string): State {
  for (const line of text.split("\n").toReversed()) {
    const value = parseJson(line);
    if (isObject(value)) return stateFrom(value);
  }
  return {};
}

/** The valid fields; others count as absent. */
function stateFrom({ balance, price, lastUsed }: Readonly<Record<string, unknown>>): State {
  return {
    ...(isBalance(balance) && { balance }),
    ...(isPrice(price) && { price }),
    ...(isDate(lastUsed) && { lastUsed }),
  };
}

function isBalance(value: unknown): value is NonNullable<State["balance"]> {
  return isObject(value) && typeof value["credits"] === "number" && isDate(value["at"]);
}

function isPrice(value: unknown): value is NonNullable<State["price"]> {
  return isObject(value) && typeof value["kesPerCredit"] === "number" && isDate(value["at"]);
}

function isDate(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}
