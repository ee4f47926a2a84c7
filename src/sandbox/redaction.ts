import { shownKey } from "../message/key.ts";

const secretName = /key|passw|secret|token|cookie|auth/i;

/** A header value without its secret; what is shown of a key is its prefix and its last four characters. */
export function redactedHeader(name: string, value: string): string {
  if (!secretName.test(name)) return redactedText(value);
  const [, scheme = "", secret = ""] = /^((?:bearer|basic)(?: +|$))?(.*)$/is.exec(value) ?? [];
  if (secret === "") return value;
  return scheme + (/^sk_(test|live)_/.test(secret) ? shownKey(secret) : "[redacted]");
}

/** The path and query of a request without keys and without the values of parameters that are named like secrets. */
export function redactedTarget(target: string): string {
  return redactedText(redactedPairs(target, []));
}

/** The body of a request without keys and without the values of members that are named like secrets, or by `secretNames`. */
export function redactedBody(body: string, contentType: string, secretNames: readonly string[]): string {
  if (/urlencoded/i.test(contentType)) return redactedText(redactedPairs(body, secretNames));
  // Each begins only where a name can, or a hostile body would take seconds.
  const members = /^multipart\//i.test(contentType)
    ? /(name="([^"\r\n]*)"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n){0,9}\r?\n)()[^\r\n]*/g
    : /((?<!\\)"((?:[^"\\]|\\.)*)"\s*:\s*)(?:(")(?:[^"\\]|\\.)*"?|[^\s,{}[\]"]+)/g;
  return redactedText(
    body.replace(members, (member: string, start: string, name: string, quote = "") =>
      isSecret(name, secretNames) ? `${start}${quote}[redacted]${quote}` : member,
    ),
  );
}

function redactedPairs(text: string, secretNames: readonly string[]): string {
  return text.replace(/(?<=^|[?&])([^?&=]*)=[^&]*/g, (pair: string, name: string) =>
    isSecret(name, secretNames) ? `${name}=[redacted]` : pair,
  );
}

function isSecret(name: string, secretNames: readonly string[]): boolean {
  return secretName.test(name) || secretNames.includes(name);
}

function redactedText(text: string): string {
  return text.replace(/sk_(?:test|live)_[\w.~+/=-]+/g, shownKey);
}
