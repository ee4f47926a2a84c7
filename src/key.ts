import { usageError } from "./errors.ts";
import { profileOption, shellWord } from "./words/shell-word.ts";

/** Test keys never deliver; live keys deliver and charge (docs/internals/service-interface.md, 1). */
type KeyMode = "test" | "live";

export interface ApiKey {
  readonly secret: string;
  readonly mode: KeyMode;
}

export const keyPattern = /^sk_(test|live)_[!-~]+$/;

/** Throws `INVALID_KEY`, which names `source` and never quotes the text. */
export function readKey(text: string, source: string): ApiKey {
  const secret = text.trim();
  const mode = keyPattern.exec(secret)?.[1];
  if (mode !== undefined) return { secret, mode: mode === "live" ? "live" : "test" };
  const [fault, hint] = faultOf(secret);
  throw usageError("INVALID_KEY", `${source} does not contain an API key: ${fault}`, hint);
}

function faultOf(text: string): readonly [fault: string, hint: string] {
  const bare = "give only the key, which begins with sk_test_ or sk_live_";
  if (text === "") return ["it is empty", bare];
  if (/^["'`\u2018-\u201F]/.test(text)) return ["it has quotes around it", "leave the quotes out"];
  if (/^(authorization:|bearer\b)/i.test(text)) return ['it has "Bearer" in front', bare];
  if (/^(export\s+)?\w+\s*=/.test(text)) return ["it is a NAME=VALUE line", "give only what follows the ="];
  const copy = "copy the whole key: the dashboard shows it once, when it is made (Settings, API Keys)";
  if (!/^sk_(test|live)_/.test(text)) return ["it does not begin with sk_test_ or sk_live_", copy];
  return ["it is cut off, or has a character that no key has", copy];
}

/** For example `sk_live_…a1b2`: the last four characters are shown only if more stay hidden. */
export function shownKey(secret: string): string {
  const prefix = secret.slice(0, "sk_test_".length);
  const rest = secret.slice(prefix.length);
  return `${prefix}…${rest.length > 4 ? rest.slice(-4) : ""}`;
}

export function ageInDays(date: string, now: number): number {
  return Math.max(0, Math.floor((now - Date.parse(date)) / 86_400_000));
}

export function rotationCommand(name: string, profile?: string): string {
  return `\`sms keys rotate ${shellWord(name)}${profileOption(profile)}\``;
}
