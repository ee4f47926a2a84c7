/** Requests per minute by tier (docs/service-interface.md, 8). */
export const requestsPerMinute = { free: 100, starter: 500, professional: 2000 } as const;

export type Tier = keyof typeof requestsPerMinute;

export const tiers = ["free", "starter", "professional"] as const satisfies readonly Tier[];

const minute = 60_000;

/** A sliding minute. A call returns 0 if it admits a request, else the seconds to wait; only admitted ones count. */
export function rateWindow(limit: number, now: () => number): () => number {
  // A ring buffer: the next slot is when the request `limit` places back was admitted.
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
