import { createHash } from "node:crypto";
import { usageError } from "../errors.ts";

/** The faults that can be asked for by name, with a share of the sends that they meet. */
const faultNames = [
  "400",
  "401",
  "402",
  "403",
  "429",
  "500",
  "502",
  "503",
  "reset-before",
  "reset-after",
  "hang",
  "garbage",
  "cut-body",
] as const;

/** One of them. */
export type FaultName = (typeof faultNames)[number];

/** The faults of a sandbox. */
export interface FaultSpec {
  /** As it was written. */
  readonly text: string;
  /** Each with its share of the sends, above 0 and all together at most 1. */
  readonly shares: readonly (readonly [FaultName, number])[];
  /** How long every answer takes, in milliseconds, from the least to the most. */
  readonly latency: readonly [least: number, most: number];
}

/** Nothing goes wrong on purpose. */
export const noFaults: FaultSpec = { text: "none", shares: [], latency: [0, 0] };

const longestLatency = 600_000;

/**
 * Reads faults as in `500:1%,reset-after:0.5%,latency:50..200`, or `none`. Throws a usage error `INVALID_FAULT` that says
 * by `place` where they were written.
 */
export function readFaults(text: string, place: string): FaultSpec {
  if (text === noFaults.text) return noFaults;
  const shares = new Map<FaultName, number>();
  let latency: FaultSpec["latency"] | undefined;
  for (const part of text.split(",").map((one) => one.trim())) {
    const [, name = "", amount = ""] = /^([^:]*):(.*)$/s.exec(part) ?? [];
    const fault = faultNames.find((known) => known === name);
    if (name === "latency" && latency === undefined) latency = readLatency(amount, part, place);
    else if (fault !== undefined && !shares.has(fault)) shares.set(fault, readShare(amount, part, place));
    else if (fault !== undefined || name === "latency") throw invalid(place, `${name} is there twice`);
    else throw invalid(place, `${JSON.stringify(part)} is not a fault`);
  }
  const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
  // Shares in percent add up with an error of the last bit.
  if (total > 1 + 1e-9) throw invalid(place, "the shares come to more than 100%");
  return { text, shares: [...shares], latency: latency ?? noFaults.latency };
}

function readShare(amount: string, part: string, place: string): number {
  const percent = /^\d+(\.\d+)?%$/.test(amount) ? Number(amount.slice(0, -1)) : NaN;
  if (percent > 0 && percent <= 100) return percent / 100;
  throw invalid(place, `${JSON.stringify(part)} has no share above 0% and up to 100%`);
}

function readLatency(amount: string, part: string, place: string): FaultSpec["latency"] {
  const [least = NaN, most = least] = /^\d+(\.\.\d+)?$/.test(amount) ? amount.split("..").map(Number) : [];
  if (least <= most && most <= longestLatency) return [least, most];
  throw invalid(place, `${JSON.stringify(part)} is not latency:MS or latency:MIN..MAX, in milliseconds`);
}

function invalid(place: string, what: string): Error {
  return usageError(
    "INVALID_FAULT",
    `${place}: ${what}`,
    `write them as "500:1%,latency:50..200", or none; there are ${faultNames.join(", ")} and latency`,
  );
}

/**
 * Numbers from 0 up to, not including, 1, that depend on the seed, on a name, and on how often that name was drawn for,
 * and on nothing else: so the same sends meet the same faults however many are in flight. Each is made of the first
 * 32 bits of the SHA-256 of `SEED NAME COUNT`, the count from 1.
 */
export function draws(seed: number): (name: string) => number {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return createHash("sha256").update(`${seed} ${name} ${count}`).digest().readUInt32BE(0) / 2 ** 32;
  };
}

/** The fault on which a draw falls; none where it falls beyond their shares. */
export function faultAt({ shares }: FaultSpec, draw: number): FaultName | undefined {
  let end = 0;
  return shares.find(([, share]) => draw < (end += share))?.[0];
}

/** How long an answer takes by a draw, in whole milliseconds. */
export function latencyAt({ latency: [least, most] }: FaultSpec, draw: number): number {
  return least + Math.floor(draw * (most - least + 1));
}
