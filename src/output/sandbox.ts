import { alignedLines } from "./aligned.ts";
import type { ReceivedMessage } from "./messages.ts";
import type { Page, View } from "./presenter.ts";
import { visible } from "./sanitize.ts";
import { plural } from "./text.ts";

/** A sandbox that listens. */
interface RunningSandbox {
  readonly url: string;
  /** What the page and `/_sandbox` need; undefined if only this machine can reach it. */
  readonly token: string | undefined;
  /** The keys that it accepts. */
  readonly keys: readonly string[];
  readonly account: { readonly email: string; readonly password: string };
  /** The seed of its faults; undefined without faults. */
  readonly seed: number | undefined;
}

/** Shows where a sandbox listens, and how to use it. */
export function sandboxView(sandbox: RunningSandbox): View {
  const { url, keys, token, account, seed } = sandbox;
  return {
    json: () => ({ url, keys, token, seed }),
    quiet: () => [url],
    text: (page) => {
      const [key] = keys;
      const login = `SMS_EMAIL=${account.email} SMS_PASSWORD=${account.password}`;
      return `The sandbox listens at ${url}; Ctrl-C stops it.${page.isTerminal ? `\n\n${guideText(sandbox, page)}\n` : " "}In another shell:

  export SMS_BASE_URL=${url} ${visible(key === undefined ? login : `SMS_API_KEY=${key}`)}
  sms send --to +254712345678 --message "Hello"

${token === undefined ? "" : `Other machines reach it by a name or address of this one. The inbox: ${inboxOf(sandbox)}\n\n`}${seed === undefined ? "" : `${seedText(seed)}\n\n`}`;
    },
  };
}

/** Says what there is to try. */
function guideText(sandbox: RunningSandbox, page: Page): string {
  const { keys, account } = sandbox;
  const shown = keys.map((key) => `${key} (${key.startsWith("sk_live_") ? "live: charged" : "test: free"})`);
  return alignedLines(page, [
    ["Inbox", inboxOf(sandbox)],
    keys.length === 0
      ? ["Account", visible(`${account.email} / ${account.password}`)]
      : [keys.length === 1 ? "Key" : "Keys", visible(shown.join(", "))],
    ["Numbers", "…000400 401 402 403 429 500 503 get that answer"],
    ["", "…000598 is cut off, …000599 never answered, …000200 not JSON"],
  ]);
}

/** Returns the address of the page, with what it needs. */
export function inboxOf({ url, token }: Pick<RunningSandbox, "url" | "token">): string {
  return `${url}/${token === undefined ? "" : `?token=${token}`}`;
}

/** Says which seed repeats the faults; nothing without one. */
export function seedText(seed: number | undefined): string {
  return seed === undefined ? "" : `--seed ${seed} repeats these faults.`;
}

/** A send that a sandbox has handled. */
interface HandledSend {
  /** Milliseconds since 1970. */
  readonly at: number;
  /** Undefined if it could not be read. */
  readonly to?: string;
  readonly mode?: string;
  /** Undefined if the message was refused. */
  readonly segments?: number;
  readonly fault?: string;
  /** The answer, or how the request ends without a whole one. */
  readonly result:
    | "cut"
    | "half"
    | "hang"
    | "stream"
    | { readonly status: number; readonly errorCode: string | undefined };
}

/** Returns the line of a send on a terminal; nothing elsewhere. */
export function handledText(
  { at, to, mode, segments, fault, result }: HandledSend,
  { isTerminal, paint }: Page,
): string {
  if (!isTerminal) return "";
  const isAnswer = typeof result === "object";
  const ends = { cut: "cut off", half: "cut half-way", hang: "never answered", stream: "" };
  const words = isAnswer ? [result.status, result.errorCode] : [ends[result]];
  const answer = [...words, fault && `(${fault})`].filter(Boolean).join(" ");
  const colour = segments === undefined ? paint.bad : isAnswer && fault === undefined ? paint.good : paint.doubtful;
  const length = segments === undefined ? "" : `, ${plural(segments, "segment")}`;
  const number = to === undefined ? "no number" : logWord(to);
  return `${paint.faint(clock(at))}  ${(mode ?? "-").padEnd(7)}  ${number}${length}  ${colour(answer)}\n`;
}

/** Returns a message that a sandbox accepted as a line without its text. */
export function receivedText({ at, to, mode, segments }: ReceivedMessage): string {
  return `${at} ${mode} ${to}, ${plural(segments, "segment")}`;
}

/** The local time of day, as in 14:05:09. */
function clock(at: number): string {
  const date = new Date(at);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
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
