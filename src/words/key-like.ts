/** Nothing that is sent, kept or shown may begin like an API key. */
export const keyLike = /\bsk_(test|live)_/;

/** Text may be our own JSON, so the key ends before a quotation mark. */
export const keyInText = /(sk_(?:test|live)_)[\w.~+/=-]+/g;

/** This stands in place of a secret. */
export const redaction = "[redacted]";

export function withoutKeys(text: string): string {
  return text.replace(keyInText, `$1${redaction}`);
}
