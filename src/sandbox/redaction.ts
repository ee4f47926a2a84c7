import { shownKey } from "../core/key.ts";

const secretName = /key|password|secret|token|cookie|authorization/i;

/** A header value without its secret; what is shown of a key is its prefix and its last four characters. */
export function redactedHeader(name: string, value: string): string {
  if (!secretName.test(name)) return redactedText(value);
  const [, scheme = "", secret = ""] = /^((?:bearer|basic) +)?(.*)$/is.exec(value) ?? [];
  return scheme + (/^sk_(test|live)_/.test(secret) ? shownKey(secret) : "[redacted]");
}

/** The path and query of a request without keys and without the values of parameters that are named like secrets. */
export function redactedTarget(target: string): string {
  return redactedText(redactedPairs(target));
}

/** The body of a request without keys and without the values of members that are named like secrets. */
export function redactedBody(body: string, contentType: string, secretNames: readonly string[]): string {
  if (/urlencoded/i.test(contentType)) return redactedText(redactedPairs(body));
  const members = body.replace(
    /("((?:[^"\\]|\\.)*)"\s*:\s*)"(?:[^"\\]|\\.)*"?/g,
    (member: string, start: string, name: string) =>
      secretName.test(name) || secretNames.includes(name) ? `${start}"[redacted]"` : member,
  );
  return redactedText(members);
}

function redactedPairs(text: string): string {
  return text.replace(/([^?&=]*)=([^&]*)/g, (pair: string, name: string) =>
    secretName.test(name) ? `${name}=[redacted]` : pair,
  );
}

function redactedText(text: string): string {
  return text.replace(/sk_(?:test|live)_[\w.~+/=-]+/g, shownKey);
}
