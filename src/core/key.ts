import { usageError } from "../errors.ts";

/** What a key does: a test key never delivers, a live key delivers and charges. */
type KeyMode = "test" | "live";

/** An API key of the service, known to be well formed. */
export interface ApiKey {
  readonly secret: string;
  readonly mode: KeyMode;
}

/**
 * Reads an API key: `sk_test_` or `sk_live_`, then printable ASCII without spaces; one trailing line end is dropped.
 * Throws a usage error that never quotes what it read. `source` says where it came from, for that error.
 */
export function readKey(text: string, source: string): ApiKey {
  const secret = text.replace(/\r?\n$/, "");
  const match = /^sk_(test|live)_[!-~]+$/.exec(secret);
  if (match === null || match[0] !== secret) {
    throw usageError(
      "INVALID_KEY",
      `${source} does not hold an API key`,
      "a key starts with sk_test_ or sk_live_ and has no spaces or line ends inside",
    );
  }
  return { secret, mode: match[1] === "live" ? "live" : "test" };
}

/** The key as people may see it: its prefix and its last four characters, and those only where more remain hidden. */
export function shownKey(secret: string): string {
  const prefix = secret.slice(0, "sk_test_".length);
  const rest = secret.slice(prefix.length);
  return `${prefix}…${rest.length > 4 ? rest.slice(-4) : ""}`;
}
