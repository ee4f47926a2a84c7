import type { Host, Output } from "../host.ts";

/** Takes secrets out of what is printed. */
export interface Redactor {
  /** From now on this text is taken out wherever it stands. */
  readonly learn: (secret: string) => void;
  /** This looks like a key and is no secret: one of the sandbox's own. */
  readonly reveal: (key: string) => void;
  /** For text of ours: takes out whatever looks like a key, and every learnt secret that is not short enough to be a word. */
  readonly redact: (text: string) => string;
  /** For text that others wrote: takes out every learnt secret, however short. */
  readonly redactForeign: (text: string) => string;
}

/** What looks like a key, known to us or not. */
const keyPattern = /(sk_(?:test|live)_)[\w.~+/=-]+/g;

/** What stands in place of a secret. */
const blot = "[redacted]";

/** A shorter secret is part of ordinary words: to blot it out everywhere would tell more than it hides. */
const longestWord = 7;

/** A redactor that knows the form of keys, and in time the secrets of this command. */
export function createRedactor(): Redactor {
  const learnt = new Set<string>();
  const revealed = new Set<string>();
  const redactWhere = (text: string, isSearched: (secret: string) => boolean) => {
    let clean = text;
    for (const secret of learnt) if (isSearched(secret)) clean = clean.replaceAll(secret, blot);
    return clean.replace(keyPattern, (key, prefix: string) => (revealed.has(key) ? key : prefix + blot));
  };
  return {
    learn: (secret) => {
      if (secret === "") return;
      for (const form of [secret, JSON.stringify(secret).slice(1, -1), encodeURIComponent(secret)]) {
        learnt.add(form);
      }
    },
    reveal: (key) => {
      revealed.add(key);
    },
    redact: (text) => redactWhere(text, (secret) => secret.length > longestWord),
    redactForeign: (text) => redactWhere(text, () => true),
  };
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
    hasColor: output.hasColor,
    columns: () => output.columns(),
    write: (text) => output.write(redactor.redact(text)),
    flush: () => output.flush(),
    failure: () => output.failure(),
  };
}
