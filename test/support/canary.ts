/** A key and an account with characters that JSON, URLs, forms and base64 write in different ways. */
export const key = "sk_live_canary'\"\\/+&0123456789";
export const account = { SMS_EMAIL: "desk@acme.example", SMS_PASSWORD: 'canary\'s "é" /+&pass' } as const;
export const token = Buffer.from(`${account.SMS_EMAIL}:${account.SMS_PASSWORD}`).toString("base64");

const json = (text: string) => JSON.stringify(text).slice(1, -1);
const base64 = (text: string) => Buffer.from(text).toString("base64");

const hex = (text: string) => Buffer.from(text).toString("hex");
const withoutPrefix = (text: string) => text.replace(/^sk_[a-z]+_/, "");

/** The ways in which a service may write a secret. */
const forms: Readonly<Record<string, (text: string) => string>> = {
  plain: (text) => text,
  "as JSON": json,
  "as JSON in JSON": (text) => json(json(text)),
  "as a URL": encodeURIComponent,
  "as a form": (text) => new URLSearchParams({ text }).toString().slice("text=".length),
  "as base64": base64,
  "as base64 of a URL": (text) => Buffer.from(text).toString("base64url"),
  "within base64": (text) => base64(`Authorization: ${text}.`),
  "as base64 twice": (text) => base64(base64(text)),
  "within base64 twice": (text) => base64(`token ${base64(`Bearer ${text}\n`)}`),
  "as hex": hex,
  "as HEX": (text) => hex(text).toUpperCase(),
  "without its prefix": withoutPrefix,
  "without its prefix, as hex": (text) => hex(withoutPrefix(text)),
};

export function writings(secrets: readonly string[]): readonly string[] {
  return secrets.flatMap((secret) => Object.values(forms).map((form) => form(secret)));
}
