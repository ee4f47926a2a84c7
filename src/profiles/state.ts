import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Address } from "../core/address.ts";
import type { Credentials } from "../core/credentials.ts";
import type { Outcome, Receipt } from "../core/outcome.ts";
import { errorCode } from "../files/error-code.ts";
import { makeFolder } from "../files/folder.ts";

/** What sends have learnt of who pays. Each date is ISO 8601 in UTC. */
export interface State {
  readonly balance?: { readonly credits: number; readonly at: string };
  readonly price?: { readonly kesPerCredit: number; readonly at: string };
  readonly lastUsed?: string;
}

/**
 * A name for who pays at that service, from which no secret can be told: a key by so short a hash that it fits any number
 * of keys, an account without its password, since that could be guessed from one.
 */
export function payerId({ origin, basePath }: Address, credentials: Credentials): string {
  const payer = credentials.kind === "key" ? ["key", credentials.key.secret] : ["account", credentials.email];
  return shortHash(JSON.stringify([origin + basePath, ...payer]));
}

/** FNV-1a of 32 bits (Fowler, Noll and Vo), in hexadecimal. Node's own hashes take longer to load than a send takes to be planned. */
function shortHash(text: string): string {
  let hash = 0x811c9dc5;
  for (const byte of Buffer.from(text)) hash = Math.imul(hash ^ byte, 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, "0");
}

/** What was learnt of that payer; nothing where the file is absent, damaged or not to be read. */
export function readState(folder: string, payer: string): State {
  try {
    return stateFrom(JSON.parse(readFileSync(statePath(folder, payer), "utf8")));
  } catch {
    return {};
  }
}

/**
 * Keeps what was learnt of that payer, beside what was known and is not named anew. Of several at once the last one
 * wins. Never throws and does not wait for the disk, since all of it may be lost without harm.
 */
export function learn(folder: string, payer: string, learnt: State): void {
  const path = statePath(folder, payer);
  const temporary = `${path}.${Math.random().toString(36).slice(2)}.tmp`;
  try {
    const text = JSON.stringify({ ...readState(folder, payer), ...learnt });
    writeInto(temporary, `${text}\n`);
    renameSync(temporary, path);
  } catch {
    removeQuietly(temporary);
  }
}

/** Keeps what a send teaches: that the key was used, and from a receipt the balance and the price. `now` in milliseconds. */
export function learnFrom(
  folder: string,
  { address, credentials }: { readonly address: Address; readonly credentials: Credentials },
  outcome: Outcome,
  now: number,
): void {
  if (outcome.kind === "unsent") return;
  const at = new Date(now).toISOString();
  const { newBalance, totalCredits, totalCostKes } = receiptOf(outcome);
  learn(folder, payerId(address, credentials), {
    lastUsed: at,
    ...(newBalance !== undefined && { balance: { credits: newBalance, at } }),
    ...(totalCredits !== undefined &&
      totalCostKes !== undefined &&
      totalCredits > 0 && {
        price: { kesPerCredit: Math.round((totalCostKes / totalCredits) * 1e6) / 1e6, at },
      }),
  });
}

function receiptOf(outcome: Outcome): Partial<Receipt> {
  return outcome.kind === "accepted" ? outcome.receipt : {};
}

function statePath(folder: string, payer: string): string {
  return join(folder, "payers", `${payer}.json`);
}

function writeInto(path: string, text: string): void {
  try {
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (errorCode(error) !== "ENOENT") throw error;
    makeFolder(dirname(path));
    writeFileSync(path, text, { flag: "wx", mode: 0o600 });
  }
}

function removeQuietly(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Where it cannot even be removed, it holds nothing that matters.
  }
}

/** The fields that have their form; the others count as absent. */
function stateFrom(value: unknown): State {
  if (!isRecord(value)) return {};
  const { balance, price, lastUsed } = value;
  return {
    ...(isBalance(balance) && { balance }),
    ...(isPrice(price) && { price }),
    ...(isDate(lastUsed) && { lastUsed }),
  };
}

function isBalance(value: unknown): value is NonNullable<State["balance"]> {
  return isRecord(value) && typeof value["credits"] === "number" && isDate(value["at"]);
}

function isPrice(value: unknown): value is NonNullable<State["price"]> {
  return isRecord(value) && typeof value["kesPerCredit"] === "number" && isDate(value["at"]);
}

function isDate(value: unknown): value is string {
  return typeof value === "string" && !Number.isNaN(Date.parse(value));
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}
