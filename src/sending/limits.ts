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

/** Requests a minute of each tier (docs/internals/service-interface.md, 8). */
export const tierRates = { free: 100, starter: 500, professional: 2000 } as const;
