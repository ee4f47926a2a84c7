import type { ChosenProfile } from "../../profiles/resolve.ts";
import type { Retry } from "../../runs/due.ts";
import type { RunPolicy } from "../../runs/execution.ts";
import { tierRates } from "./limits.ts";

/** The flags that say how a run is sent. */
export interface PolicyFlags {
  readonly rate?: number;
  readonly concurrency?: number;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly retries: number;
  readonly maxCredits?: number;
}

/**
 * Requests in flight at most by default. The professional tier needs 10 against a service 100 ms away over https, where a new
 * connection and its request take three round trips.
 */
const defaultConcurrency = 16;

/**
 * Returns how a run is sent, by the flags, else the profile; `chosen` is undefined for a sandbox, where no rate is kept unless
 * one is given.
 */
export function runPolicy(
  flags: PolicyFlags,
  chosen: ChosenProfile | undefined,
  retry: Retry = [],
): Omit<RunPolicy, "guards"> {
  const { rate, concurrency = defaultConcurrency, timeout, retries, maxCredits = Infinity } = flags;
  return {
    rate: rate ?? (chosen === undefined ? Infinity : (chosen.profile?.defaults.rate ?? tierRates.free)),
    concurrency,
    timeout: timeout * 1000,
    retries,
    maxCredits,
    retry,
  };
}
