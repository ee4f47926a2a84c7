import { usageError } from "../../errors.ts";
import type { Profile } from "../../profiles/stored.ts";
import type { RunPolicy } from "./carry-out.ts";
import type { SendOptions } from "../send/definition.ts";

/** Requests per minute of each tier (docs/service-interface.md, 8). */
const tierRates = { free: 100, starter: 500, professional: 2000 } as const;

/** Requests in flight where nobody says otherwise. */
const defaultConcurrency = 8;

/** How the flags, else the profile, want a run sent. */
export function runPolicy(
  {
    rate,
    tier,
    concurrency = defaultConcurrency,
    timeout,
    retries,
    maxCredits = Infinity,
  }: Pick<SendOptions, "rate" | "tier" | "concurrency" | "timeout" | "retries" | "maxCredits">,
  profile: Profile | undefined,
  retry: RunPolicy["retry"] = [],
): RunPolicy {
  if (rate !== undefined && tier !== undefined) {
    throw usageError("AMBIGUOUS_RATE", "--rate and --tier are both given", "give one of them");
  }
  const limit = rate ?? tier ?? profile?.defaults.rate ?? "free";
  return {
    rate: typeof limit === "number" ? limit : tierRates[limit],
    concurrency,
    timeout,
    retries,
    maxCredits,
    retry,
  };
}
