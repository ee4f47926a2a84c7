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

/** The service recommends a new key after so many days (docs/service-interface.md, 5, rule 5). */
const rotationDue = 90;

/** From this day on people are reminded of it. */
const reminderFrom = 76;

/** The whole days since a date in ISO 8601; `now` in milliseconds. */
export function ageInDays(date: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(date)) / 86_400_000));
}

/** What to say of a key of that age; undefined while there is nothing to say. */
export function rotationWarning(name: string, ageDays: number): string | undefined {
  if (ageDays < reminderFrom) return undefined;
  const due = ageDays < rotationDue ? `due in ${rotationDue - ageDays} days` : "due";
  return `key ${JSON.stringify(name)} is ${ageDays} days old, and rotation at ${rotationDue} days is ${due}: \`sms keys rotate\``;
}
