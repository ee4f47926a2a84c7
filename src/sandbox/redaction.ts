import { shownKey } from "../key.ts";

const secretName = /key|passw|secret|token|cookie|auth/i;

/** A header value without its secret; a key keeps its prefix and its last four characters. */
export function redactedHeader(name: string, value: string): string {
  if (!secretName.test(name)) return redactedText(value);
  const [, scheme = "", secret = ""] = /^((?:bearer|basic)(?: +|$))?(.*)$/is.exec(value) ?? [];
  if (secret === "") return value;
  return scheme + (/^sk_(test|live)_/.test(secret) ? shownKey(secret) : "[redacted]");
}

/** A path and query without keys, and without the values of parameters that are named like secrets. */
export function redactedTarget(target: string): string {
  return redactedText(redactedPairs(target));
}

/** A body without keys, and without the values of members that are named like secrets. */
export function redactedBody(body: string, contentType = ""): string {
  if (/urlencoded/i.test(contentType)) return redactedText(redactedPairs(body));
  // Each pattern begins only where a name can begin. Otherwise a hostile body takes seconds.
  const members = /^multipart\//i.test(contentType)
    ? /(name="([^"\r\n]*)"[^\r\n]*\r?\n(?:[^\r\n]+\r?\n){0,9}\r?\n)()[^\r\n]*/g
    : /((?<!\\)"((?:[^"\\]|\\.)*)"\s*:\s*)(?:(")(?:[^"\\]|\\.)*"?|[^\s,{}[\]"]+)/g;
  return redactedText(
    body.replace(members, (member: string, start: string, name: string, quote = "") =>
      secretName.test(name) ? `${start}${quote}[redacted]${quote}` : member,
    ),
  );
}

export function redactedText(text: string): string {
  return text.replace(/sk_(?:test|live)_[\w.~+/=-]+/g, shownKey);
}

function redactedPairs(text: string): string {
  return text.replace(/(?<=^|[?&])([^?&=]*)=[^&]*/g, (pair: string, name: string) =>
    secretName.test(name) ? `${name}=[redacted]` : pair,
  );
}
