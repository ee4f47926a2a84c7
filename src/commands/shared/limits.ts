import { number, oneOf } from "./option-values.ts";

/** The default of --timeout, in seconds. */
export const defaultTimeout = 30;

/** The default of --retries. */
export const defaultRetries = 3;

/** The most requests in flight. */
export const mostInFlight = 256;

/** The parsers of the limits that several commands take, each with one range for all of them. */
export const limits = {
  rate: number("--rate", "requests", 1, 1_000_000, true),
  tier: oneOf("--tier", ["free", "starter", "professional"]),
  concurrency: number("--concurrency", "requests", 1, mostInFlight, true),
  timeout: number("--timeout", "seconds", 0.001, 86_400, false),
  retries: number("--retries", "tries", 0, 100, true),
  maxCredits: number("--max-credits", "credits", 0, 1_000_000_000, true),
} as const;
