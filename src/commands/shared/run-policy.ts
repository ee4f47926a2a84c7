import type { ChosenProfile } from "../../profiles/resolve.ts";
import type { Retry } from "../../runs/due.ts";
import type { RunPolicy } from "../../runs/execution.ts";
import { refuseRateWithTier } from "./limits.ts";

/** The flags that say how a run is sent. */
export interface PolicyFlags {
  readonly rate?: number;
  readonly tier?: keyof typeof tierRates;
  readonly concurrency?: number;
  /** Seconds for one request. */
  readonly timeout: number;
  readonly retries: number;
  readonly maxCredits?: number;
}

/** Requests per minute of each tier (docs/service-interface.md, 8). */
const tierRates = { free: 100, starter: 500, professional: 2000 } as const;

/**
 * Requests in flight at most by default. The professional tier needs 10 against a service 100 ms away over https, where a new
 * connection and its request take three round trips.
 */
const defaultConcurrency = 16;

/**
 * Returns how a run is sent, by the flags, else the profile; `chosen` is undefined for a sandbox, where no rate is kept unless
 * one is given. Throws a usage error for both a rate and a tier.
 */
export function runPolicy(
  flags: PolicyFlags,
  chosen: ChosenProfile | undefined,
  retry: Retry = [],
): Omit<RunPolicy, "guards"> {
  refuseRateWithTier(flags);
  const { rate, tier, concurrency = defaultConcurrency, timeout, retries, maxCredits = Infinity } = flags;
  const limit = rate ?? tier ?? (chosen === undefined ? Infinity : (chosen.profile?.defaults.rate ?? "free"));
  return {
    rate: typeof limit === "number" ? limit : tierRates[limit],
    concurrency,
    timeout: timeout * 1000,
    retries,
    maxCredits,
    retry,
  };
}
