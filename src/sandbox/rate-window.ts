/** Requests a minute by tier (service-interface.md 8). */
export const requestsPerMinute = { free: 100, starter: 500, professional: 2000 } as const;

/** A tier that a sandbox can play. */
export type Tier = keyof typeof requestsPerMinute;

/** All of them. */
export const tiers = ["free", "starter", "professional"] as const satisfies readonly Tier[];

const minute = 60_000;

/**
 * A sliding window of one minute. Each call asks to let one request in: 0 lets it in, anything else is the
 * whole seconds to wait. A request that was not let in does not count.
 */
export function rateWindow(limit: number, now: () => number): () => number {
  // A ring: the slot about to be used holds when the request `limit` places back was let in.
  const admitted: number[] = [];
  let next = 0;
  return () => {
    const at = now();
    const freeAt = (admitted[next] ?? -Infinity) + minute;
    if (at < freeAt) return Math.ceil((freeAt - at) / 1000);
    admitted[next] = at;
    next = (next + 1) % limit;
    return 0;
  };
}
