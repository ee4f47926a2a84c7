import { number } from "./option-values.ts";

/** The default of --timeout, in seconds. */
export const defaultTimeout = 30;

/** The default of --retries. */
export const defaultRetries = 3;

/** The most requests in flight. */
export const mostInFlight = 256;

/** Requests a minute of each tier (docs/service-interface.md, 8). */
export const tierRates = { free: 100, starter: 500, professional: 2000 } as const;

/** Returns the parser of requests a minute, or of a tier, by that name. */
export function rateOf(name: string) {
  return number(name, "a whole number of requests", 1, 1_000_000, tierRates);
}

/** The parsers of the limits that several commands take, each with one range for all of them. */
export const limits = {
  rate: rateOf("--rate"),
  concurrency: number("--concurrency", "a whole number of requests", 1, mostInFlight),
  timeout: number("--timeout", "a number of seconds", 0.001, 86_400),
  retries: number("--retries", "a whole number of tries", 0, 100),
  first: number("--first", "a whole number of messages", 1, 1_000_000),
  maxCredits: number("--max-credits", "a whole number of credits", 0, 1_000_000_000),
} as const;
