import type { Host, Output } from "../host.ts";
import { keyInText, redaction } from "../words/key-like.ts";
import { escapeUnit } from "./text.ts";

export interface Redactor {
  readonly learn: (secret: string) => void;
  /** Removes this from foreign text only, because a person's own text may have the secret as a word or as digits. */
  readonly learnWord: (secret: string) => void;
  /** Shows this key from now on, even if it was learned, because the key is one of the sandbox's own. */
  readonly reveal: (key: string) => void;
  readonly redact: (text: string) => string;
  /** Removes all of an unknown key as well, from text that may quote what a person typed. */
  readonly redactQuoted: (text: string) => string;
  /** Removes learned words as well, from text of the service and of the wire. */
  readonly redactForeign: (text: string) => string;
}

/** A key from elsewhere may have every character, except a final quotation mark. */
const keyInForeign = /(sk_(?:test|live)_)[!-~]*[!#-&(-~]/g;

/** A shorter word occurs inside too many other words. */
const shortestWord = 4;

/** If the rest of a key is as short as in a key made by hand, the rest may be one of our words. */
const shortestRest = 8;

export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  const words = new Set<string>();
  const ownKeys = new Set<string>();
  const without = (text: string, all: ReadonlySet<string>) =>
    [...all].reduce((clean, secret) => clean.replaceAll(secret, redaction), text);
  const withoutOtherKeys = (text: string, pattern: RegExp) =>
    text.replace(pattern, (key, prefix: string) => (ownKeys.has(key) ? key : prefix + redaction));
  return {
    learn: (secret) => {
      if (secrets.has(secret)) return;
      formsOf(secret).forEach((form) => secrets.add(form));
      formsOf(restOf(secret)).forEach((form) => words.add(form));
    },
    learnWord: (secret) => {
      if (secret.length >= shortestWord) formsOf(secret).forEach((form) => words.add(form));
    },
    reveal: (key) => {
      ownKeys.add(key);
      for (const form of [...formsOf(key), ...formsOf(restOf(key))]) {
        secrets.delete(form);
        words.delete(form);
      }
    },
    redact: (text) => withoutOtherKeys(without(text, secrets), keyInText),
    redactQuoted: (text) => withoutOtherKeys(without(text, secrets), keyInForeign),
    redactForeign: (text) => withoutOtherKeys(without(without(text, secrets), words), keyInForeign),
  };
}

function restOf(secret: string): string {
  const rest = /^sk_(?:test|live)_(.*)$/s.exec(secret)?.[1] ?? "";
  return rest.length < shortestRest ? "" : rest;
}

/** Longer forms come before what they contain. */
function formsOf(secret: string): readonly string[] {
  if (secret === "") return [];
  const bytes = Buffer.from(secret);
  const whole = inBothAlphabets([bytes.toString("base64")]);
  const once = inBothAlphabets(base64Within(bytes));
  const twice = inBothAlphabets(once.flatMap((form) => base64Within(Buffer.from(form))));
  const hex = bytes.toString("hex");
  const encoded = [...twice, ...whole, ...once, hex, hex.toUpperCase()];
  // Such a secret is the same in JSON, a URL, a form and a header.
  if (/^[\w.-]+$/.test(secret)) return [secret, ...encoded];
  const json = JSON.stringify(secret).slice(1, -1);
  const ascii = json.replace(/[^ -~]/g, escapeUnit);
  const url = encodeURIComponent(secret);
  const strict = url.replace(/[!'()*]/g, (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`);
  const urls = [url, strict].flatMap((form) => [form, form.replaceAll("%20", "+")]);
  const lower = urls.map((form) => form.replace(/%../g, (code) => code.toLowerCase()));
  const jsonInJson = JSON.stringify(json).slice(1, -1);
  const texts = [jsonInJson, ascii, json, json.replaceAll("/", "\\/"), ...urls, ...lower, secret];
  // A header is read as Latin-1.
  const inHeader = texts.map((text) => Buffer.from(text).toString("latin1"));
  return [...texts, ...inHeader, ...encoded];
}

function inBothAlphabets(base64: readonly string[]): readonly string[] {
  return [...new Set([...base64, ...base64.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))])];
}

function base64Within(bytes: Buffer): readonly string[] {
  return [0, 1, 2].map((before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes]);
    return text.toString("base64").slice(Math.ceil((before * 8) / 6), Math.floor((text.length * 8) / 6));
  });
}

export function redactedHost(host: Host, { redact }: Redactor): Host {
  const clean = (output: Output): Output => ({ ...output, write: (text) => output.write(redact(text)) });
  return { ...host, stdout: clean(host.stdout), stderr: clean(host.stderr) };
}
