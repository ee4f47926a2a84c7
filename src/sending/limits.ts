import type { TimeLimit } from "./retry.ts";

/** The default of --timeout, in seconds. */
export const defaultTimeout = 30;

export const defaultRetries = 3;

export function requestLimits({ timeout = defaultTimeout, retries = defaultRetries }: RequestOptions) {
  return { timeoutMs: timeout * 1000, retries };
}

interface RequestOptions {
  readonly timeout?: number;
  readonly retries?: number;
}

/** Requests a minute of each tier (docs/internals/service-interface.md, 7). */
export const tierRates = { free: 100, starter: 500, professional: 2000 } as const;

export interface SendLimits {
  /** Each answer allows one more, while a message waits for nothing else. */
  readonly inFlight: { readonly first: number; readonly most: number };
  readonly time: TimeLimit;
  /** Only what was provably not sent is tried again. */
  readonly retries: number;
  /** Infinity for no limit. */
  readonly maxCredits: number;
  readonly waitsOutHolds?: boolean;
}
