import { closeSync, constants, ftruncateSync, readFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { Address } from "../core/address.ts";
import type { Credentials } from "../core/credentials.ts";
import { isObject, parseJson } from "../core/json.ts";
import type { Outcome, Receipt } from "../core/outcome.ts";
import { openOrMakeFile, readOwnFile, requirePrivateState, type StateFolder } from "../files/state-folder.ts";

/** Cached balance, price and last use per account. Dates are ISO 8601 in UTC. */
export interface State {
  readonly balance?: { readonly credits: number; readonly at: string };
  readonly price?: { readonly kesPerCredit: number; readonly at: string };
  readonly lastUsed?: string;
}

/** More than any state takes as JSON. Bytes. */
const stateSize = 256;

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
    requirePrivateState(folder, "payers");
    return stateFrom(parseJson(readOwnFile(join(folder.path, "payers", `${payer}.json`))));
  } catch {
    return {};
  }
}

/**
 * Merges `update` into the cached state. The last writer wins; never throws and never flushes, since it is only a cache.
 * Writes nothing where others could read or redirect it. All states have one size, so that one write replaces another whole:
 * to put a new file in place of the old one takes ext4, which begins to flush it, ten times as long.
 */
export function updateState(folder: StateFolder, payer: string, update: State): void {
  try {
    const file = openOrMakeFile(folder, "payers", `${payer}.json`, constants.O_RDWR);
    try {
      const old = readFileSync(file, "utf8");
      const text = JSON.stringify({ ...stateFrom(parseJson(old)), ...update });
      writeSync(file, `${text.padEnd(stateSize - 1)}\n`, 0);
      if (old.length > stateSize) ftruncateSync(file, stateSize);
    } finally {
      closeSync(file);
    }
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

/** The valid fields; others count as absent. */
function stateFrom(value: unknown): State {
  if (!isObject(value)) return {};
  const { balance, price, lastUsed } = value;
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
