import { createHash } from "node:crypto";
import { usageError } from "../errors.ts";

/** The faults that can be given a share of all sends. */
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

export type FaultName = (typeof faultNames)[number];

/** Parsed faults, such as `500:1%,latency:50..200`. */
export interface FaultSpec {
  /** As written. */
  readonly text: string;
  /** Each fault with its share of sends: above 0, at most 1 in total. */
  readonly shares: readonly (readonly [FaultName, number])[];
  /** The range of the delay before each answer, in milliseconds. */
  readonly latency: readonly [min: number, max: number];
}

export const noFaults: FaultSpec = { text: "none", shares: [], latency: [0, 0] };

const maxLatency = 600_000;

/** Reads `500:1%,reset-after:0.5%,latency:50..200` or `none`. Throws a usage error `INVALID_FAULT` that names `place`. */
export function readFaults(text: string, place: string): FaultSpec {
  if (text === noFaults.text) return noFaults;
  const shares = new Map<FaultName, number>();
  let latency: FaultSpec["latency"] | undefined;
  for (const part of text.split(",").map((item) => item.trim())) {
    const [, name = "", amount = ""] = /^([^:]*):(.*)$/s.exec(part) ?? [];
    const fault = faultNames.find((known) => known === name);
    if (name === "latency" && latency === undefined) latency = readLatency(amount, part, place);
    else if (fault !== undefined && !shares.has(fault)) shares.set(fault, readShare(amount, part, place));
    else if (fault !== undefined || name === "latency") throw invalid(place, `${name} is given twice`);
    else throw invalid(place, `${JSON.stringify(part)} is not a fault`);
  }
  const total = [...shares.values()].reduce((sum, share) => sum + share, 0);
  // Tolerates rounding errors of the sum.
  if (total > 1 + 1e-9) throw invalid(place, "the shares add up to more than 100%");
  return { text, shares: [...shares], latency: latency ?? noFaults.latency };
}

function readShare(amount: string, part: string, place: string): number {
  const percent = /^\d+(\.\d+)?%$/.test(amount) ? Number(amount.slice(0, -1)) : NaN;
  if (percent > 0 && percent <= 100) return percent / 100;
  throw invalid(place, `${JSON.stringify(part)} needs a share above 0% and at most 100%`);
}

function readLatency(amount: string, part: string, place: string): FaultSpec["latency"] {
  const [least = NaN, most = least] = /^\d+(\.\.\d+)?$/.test(amount) ? amount.split("..").map(Number) : [];
  if (least <= most && most <= maxLatency) return [least, most];
  throw invalid(place, `${JSON.stringify(part)} is not latency:MS or latency:MIN..MAX, in milliseconds`);
}

function invalid(place: string, what: string): Error {
  return usageError(
    "INVALID_FAULT",
    `${place}: ${what}`,
    `write "500:1%,latency:50..200" or none; faults are ${faultNames.join(", ")} and latency`,
  );
}

/** Draws from [0, 1) by the SHA-256 of `SEED NAME COUNT`: the same sends get the same faults at any concurrency. */
export function draws(seed: number): (name: string) => number {
  const counts = new Map<string, number>();
  return (name) => {
    const count = (counts.get(name) ?? 0) + 1;
    counts.set(name, count);
    return createHash("sha256").update(`${seed} ${name} ${count}`).digest().readUInt32BE(0) / 2 ** 32;
  };
}

/** The fault for a draw, if any. */
export function faultAt({ shares }: FaultSpec, draw: number): FaultName | undefined {
  let end = 0;
  return shares.find(([, share]) => draw < (end += share))?.[0];
}

/** The latency for a draw, in whole milliseconds. */
export function latencyAt({ latency: [min, max] }: FaultSpec, draw: number): number {
  return min + Math.floor(draw * (max - min + 1));
}
