import type { View } from "./presenter.ts";
import { visible } from "./sanitize.ts";
import { plural } from "./text.ts";

/** A sandbox that listens. */
interface RunningSandbox {
  readonly url: string;
  /** The keys that it accepts. */
  readonly keys: readonly string[];
  readonly account: { readonly email: string; readonly password: string };
  /** The seed of its faults; undefined without faults. */
  readonly seed: number | undefined;
}

/** Shows where a sandbox listens, and how to use it. */
export function sandboxView({ url, keys, account, seed }: RunningSandbox): View {
  return {
    json: () => ({ url, keys, seed }),
    quiet: () => [url],
    text: () => {
      const [key] = keys;
      const login = `SMS_EMAIL=${account.email} SMS_PASSWORD=${account.password}`;
      return `The sandbox listens at ${url}; Ctrl-C stops it. In another shell:

  export SMS_BASE_URL=${url} ${visible(key === undefined ? login : `SMS_API_KEY=${key}`)}
  sms send --to +254712345678 --message "Hello"

${seed === undefined ? "" : `The faults are drawn with --seed ${seed}.\n\n`}`;
    },
  };
}

/** Says what a sandbox received. */
export function tallyText(tally: {
  readonly messages: number;
  readonly segments: number;
  readonly credits: number;
}): string {
  const { messages, segments, credits } = tally;
  return `Received ${plural(messages, "message")} in ${plural(segments, "segment")}, charged ${plural(credits, "credit")}.`;
}

/** Returns the log line of a request. `result` is the status of the answer, or how the request ended without one. */
export function requestText(
  at: number,
  request: { readonly method: string; readonly path: string },
  result: number | string,
  details: Readonly<Record<string, string | number | undefined>>,
): string {
  const known = Object.entries(details).filter(([, value]) => value !== undefined);
  const words = known.map(([name, value]) => `${name}=${logWord(value)}`);
  return [new Date(at).toISOString(), request.method, logWord(request.path), result, ...words].join(" ");
}

/** Returns a value as one word, in quotes unless it is plain, so that no value looks like another field or line. */
function logWord(value: string | number | undefined): string {
  const text = String(value);
  return /^[!#-&(-~]{1,64}$/.test(text) ? text : quoted(text);
}

function quoted(text: string): string {
  return visible(JSON.stringify(text.length > 64 ? `${text.slice(0, 64).toWellFormed()}…` : text));
}
