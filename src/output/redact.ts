import type { Host, Output } from "../host.ts";

/** Takes secrets out of what is printed. */
export interface Redactor {
  /** From now on this is taken out wherever it stands. */
  readonly learn: (secret: string) => void;
  /** The same for a secret that may be an ordinary word, or digits: it is taken out of what others wrote only. */
  readonly learnWord: (secret: string) => void;
  /** This looks like a key and is no secret, even where it was learnt as one: one of the sandbox's own. */
  readonly reveal: (key: string) => void;
  /** For all that is printed: takes out what looks like a key, and what was learnt. */
  readonly redact: (text: string) => string;
  /** For text that others wrote, before it becomes part of ours: takes out the words that were learnt as well. */
  readonly redactForeign: (text: string) => string;
}

/** What looks like a key, known to us or not, within text that may be JSON of ours: it stops at a quotation mark. */
const keyInText = /(sk_(?:test|live)_)[\w.~+/=-]+/g;

/** The same within the text of others: all that a key may hold, but for a quotation mark after it. */
const keyInForeign = /(sk_(?:test|live)_)[!-~]*[!#-&(-~]/g;

/** What is shorter is no secret, and stands in too many words. */
const shortestWord = 4;

/** What stands in place of a secret. */
const blot = "[redacted]";

/** A redactor that knows the form of keys, and in time the secrets of this command. */
export function createRedactor(): Redactor {
  const secrets = new Set<string>();
  const words = new Set<string>();
  const revealed = new Set<string>();
  const without = (text: string, learnt: ReadonlySet<string>) =>
    [...learnt].reduce((clean, secret) => clean.replaceAll(secret, blot), text);
  const withoutKeys = (text: string, pattern: RegExp) =>
    text.replace(pattern, (key, prefix: string) => (revealed.has(key) ? key : prefix + blot));
  return {
    learn: (secret) => formsOf(secret).forEach((form) => secrets.add(form)),
    learnWord: (secret) => {
      if (secret.length >= shortestWord) formsOf(secret).forEach((form) => words.add(form));
    },
    reveal: (key) => {
      revealed.add(key);
      for (const form of formsOf(key)) {
        secrets.delete(form);
        words.delete(form);
      }
    },
    redact: (text) => withoutKeys(without(text, secrets), keyInText),
    redactForeign: (text) => withoutKeys(without(without(text, secrets), words), keyInForeign),
  };
}

/** A secret as it is, and as JSON, a URL and base64 write it. */
function formsOf(secret: string): readonly string[] {
  if (secret === "") return [];
  const base64 = Buffer.from(secret, "utf8").toString("base64");
  return [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret), base64];
}

/** The same host, with everything that it prints passed through the redactor. */
export function redactedHost(host: Host, redactor: Redactor): Host {
  return {
    ...host,
    stdout: redactedOutput(host.stdout, redactor),
    stderr: redactedOutput(host.stderr, redactor),
  };
}

function redactedOutput(output: Output, redactor: Redactor): Output {
  return {
    hasColor: () => output.hasColor(),
    columns: () => output.columns(),
    write: (text) => output.write(redactor.redact(text)),
    flush: () => output.flush(),
    failure: () => output.failure(),
  };
}
