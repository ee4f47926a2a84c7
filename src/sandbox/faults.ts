import { usageError } from "../errors.ts";
import {
  type Answer,
  bare,
  insufficientCredits,
  invalidRequest,
  json,
  refusal,
  type Reply,
  senderNotAuthorized,
  tooManyRequests,
  unauthorized,
} from "./reply.ts";

/** A fault refuses a valid send with a reply, or accepts the send and breaks the answer. */
type Effect = Reply | ((answer: Answer) => Reply);

const serverError = refusal(500, "INTERNAL_ERROR", "Internal server error");

const notJson = { ...json(200, ""), body: "<!doctype html><title>OK</title>" };

const faults = new Map<string, Effect>([
  ["400", invalidRequest("Invalid parameters")],
  ["401", unauthorized],
  ["402", insufficientCredits],
  ["403", senderNotAuthorized],
  ["429", tooManyRequests(1)],
  ["500", serverError],
  ["502", bare(502)],
  ["503", bare(503)],
  ["reset-before", { kind: "cut" }],
  ["reset-after", () => ({ kind: "cut" })],
  ["hang", () => ({ kind: "hang" })],
  ["garbage", () => notJson],
  ["cut-body", (answer) => ({ ...answer, kind: "half" })],
]);

/** What `--every-fault` tries, in this order. Without an effect nothing listens at all. */
export const everyFault: readonly (readonly [name: string, effect?: Effect])[] = [
  ["400", faults.get("400")],
  ["401", faults.get("401")],
  ["402", faults.get("402")],
  ["403", faults.get("403")],
  ["429", faults.get("429")],
  ["500", () => serverError],
  ["503", faults.get("503")],
  ["unreachable"],
  ["reset", faults.get("reset-after")],
  ["silent", faults.get("hang")],
  ["garbled", faults.get("garbage")],
  ["half", faults.get("cut-body")],
];

/** Numbers that no list of customers has by chance. */
const faultyNumber = /^\+254700(000(\d{3}))$/;

/** The faults that have another name than the end of their number. */
const namesByEnd: Readonly<Record<string, string>> = {
  597: "reset-before",
  598: "reset-after",
  599: "hang",
  200: "garbage",
  201: "cut-body",
};

export interface FaultSpec {
  readonly text: string;
  /** Each fault with its share of sends: above 0, at most 1 in total. */
  readonly shares: readonly (readonly [fault: string, share: number])[];
  readonly latencyMs: readonly [min: number, max: number];
  /** Only the first valid send meets this. */
  readonly first?: Fault;
}

interface Fault {
  readonly name: string;
  readonly effect: Effect;
}

export const noFaults: FaultSpec = { text: "none", shares: [], latencyMs: [0, 0] };

const maxLatencyMs = 600_000;

/** Reads `500:1%,reset-after:0.5%,latency:50..200` or `none`. Throws a usage error `INVALID_FAULT`. */
export function readFaults(text: string): FaultSpec {
  if (text === noFaults.text) return noFaults;
  const amounts = new Map<string, string>();
  for (const part of text.split(",").map((item) => item.trim())) {
    const [, name = "", amount = ""] = /^([^:]*):(.*)$/s.exec(part) ?? [];
    if (name !== "latency" && !faults.has(name)) throw invalid(`${JSON.stringify(part)} is not a fault`);
    if (amounts.has(name)) throw invalid(`${name} is given twice`);
    amounts.set(name, amount);
  }
  const latency = amounts.get("latency");
  amounts.delete("latency");
  const shares = Array.from(amounts, ([name, amount]) => [name, readShare(name, amount)] as const);
  const total = shares.reduce((sum, [, share]) => sum + share, 0);
  // Tolerates rounding errors of the sum.
  if (total > 1 + 1e-9) throw invalid("the shares add up to more than 100%");
  return { text, shares, latencyMs: latency === undefined ? noFaults.latencyMs : readLatency(latency) };
}

function readShare(name: string, amount: string): number {
  const percent = /^\d+(\.\d+)?%$/.test(amount) ? Number(amount.slice(0, -1)) : NaN;
  if (percent > 0 && percent <= 100) return percent / 100;
  throw invalid(`${JSON.stringify(`${name}:${amount}`)} needs a share above 0% and at most 100%`);
}

function readLatency(amount: string): FaultSpec["latencyMs"] {
  const [least = NaN, most = least] = /^\d+(\.\.\d+)?$/.test(amount) ? amount.split("..").map(Number) : [];
  if (least <= most && most <= maxLatencyMs) return [least, most];
  throw invalid(`${JSON.stringify(`latency:${amount}`)} is not latency:MS or latency:MIN..MAX, in milliseconds`);
}

function invalid(what: string): Error {
  const hint = `write "500:1%,latency:50..200" or none; faults are ${[...faults.keys()].join(", ")} and latency`;
  return usageError("INVALID_FAULT", `--fault: ${what}`, hint);
}

/** A number takes precedence over a fault that `random` draws. */
export function openFaults(spec: FaultSpec, random: () => number) {
  const refusedOnce = new Set<string>();
  let first = spec.first;
  return {
    /** The fault of the next valid send to that number. Its name is the end of the number, or the fault that was drawn. */
    next: (to: string): Fault | undefined => {
      const fault = first;
      first = undefined;
      if (fault !== undefined) return fault;
      const [, name = "", digits = ""] = faultyNumber.exec(to) ?? [];
      const byNumber = faults.get(namesByEnd[digits] ?? digits);
      if (byNumber !== undefined && !refusedOnce.has(to)) {
        if (digits === "429") refusedOnce.add(to);
        return { name, effect: byNumber };
      }
      const chance = spec.shares.length === 0 ? "" : (faultAt(spec, random()) ?? "");
      const byChance = faults.get(chance);
      return byChance && { name: chance, effect: byChance };
    },
    latencyMs: (): number => {
      const [least, most] = spec.latencyMs;
      return least === most ? least : least + Math.floor(random() * (most - least + 1));
    },
    reset: (): void => {
      refusedOnce.clear();
      first = spec.first;
    },
  };
}

function faultAt({ shares }: FaultSpec, draw: number): string | undefined {
  let end = 0;
  return shares.find(([, share]) => draw < (end += share))?.[0];
}
