import { usageError } from "../errors.ts";

/** Test keys never deliver; live keys deliver and charge (docs/service-interface.md, 1). */
type KeyMode = "test" | "live";

/** A well-formed API key. */
export interface ApiKey {
  readonly secret: string;
  readonly mode: KeyMode;
}

/** Reads an API key and drops one line end. Throws `INVALID_KEY`, which names `source` and never quotes the text. */
export function readKey(text: string, source: string): ApiKey {
  const secret = text.replace(/\r?\n$/, "");
  const match = /^sk_(test|live)_[!-~]+$/.exec(secret);
  if (match === null || match[0] !== secret) {
    throw usageError(
      "INVALID_KEY",
      `${source} does not contain an API key`,
      "a key starts with sk_test_ or sk_live_ and has no spaces or line breaks",
    );
  }
  return { secret, mode: match[1] === "live" ? "live" : "test" };
}

/** The key for display, such as `sk_live_…a1b2`; the last four characters only if more stay hidden. */
export function shownKey(secret: string): string {
  const prefix = secret.slice(0, "sk_test_".length);
  const rest = secret.slice(prefix.length);
  return `${prefix}…${rest.length > 4 ? rest.slice(-4) : ""}`;
}

/** Days (docs/service-interface.md, 5, rule 5). */
const rotationDue = 90;

/** Days. */
const reminderFrom = 76;

/** Whole days since an ISO 8601 date; `now` in milliseconds since 1970. */
export function ageInDays(date: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(date)) / 86_400_000));
}

/** The reminder to rotate a key, from day 76 on. */
export function rotationWarning(name: string, ageDays: number): string | undefined {
  if (ageDays < reminderFrom) return undefined;
  const due = ageDays < rotationDue ? `due in ${rotationDue - ageDays} days` : "due";
  return `key ${JSON.stringify(name)} is ${ageDays} days old; rotation at ${rotationDue} days is ${due}: \`sms keys rotate\``;
}
