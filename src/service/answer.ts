import { isObject } from "../json.ts";
import { countText } from "../words/count.ts";
import type { Failure, Outcome, Receipt, RetryAdvice } from "../message/outcome.ts";
import type { ErrorKind } from "../errors.ts";
import { otherPath } from "./address.ts";
import type { AnswerHead, Break, Exchange } from "./exchange.ts";
import { explainUnreached } from "./symptoms.ts";

/** Only a whole receipt for its recipient is accepted; a request that began and has no known answer is uncertain. */
export function judge(
  exchange: Exchange,
  { to, now, redact = asItIs }: { readonly to: string; readonly now: number; readonly redact?: Redact },
): Outcome {
  switch (exchange.kind) {
    case "unreached":
      return unreached(withClean(exchange.why, redact));
    case "broken": {
      const { answer, why } = exchange;
      const doubt = noAnswer(brokenSentence(withClean(why, redact)), answer?.status);
      return (answer && judgeStatus(answer, { body: undefined, now, redact })) ?? doubt;
    }
    case "answered": {
      const body = readJson(exchange.body, redact);
      const isForeign = exchange.body.length > 0 && !isDocumentedError(body);
      return (
        judgeStatus(exchange.answer, { body, isForeign, now, redact }) ?? judgeReceipt(exchange.answer.status, body, to)
      );
    }
  }
}

type Redact = (text: string) => string;

const asItIs: Redact = (text) => text;

interface AnswerText {
  readonly body: unknown;
  /** A gateway on the way may have answered. */
  readonly isForeign?: boolean;
  readonly now: number;
  readonly redact: Redact;
}

/** The body decides about a 200. */
function judgeStatus({ url, status, headers }: AnswerHead, text: AnswerText): Outcome | undefined {
  if (status === 200) return undefined;
  const { body, isForeign, now, redact } = text;
  const [outcome, kind, errorCode, error] = meaningOf(status);
  const usual = error + movedTo(headers["location"], redact);
  const failure: Failure = { kind, error: usual, errorCode, httpStatus: status, ...saidIn(body) };
  if (status === 404) return notThere(failure, url);
  if (outcome === "uncertain") return { kind: outcome, failure };
  if (outcome === "rejected") {
    return isForeign
      ? { kind: outcome, failure: { ...failure, error: foreignAnswer(status) }, hint: foreignHint }
      : { kind: outcome, failure };
  }
  const retry: RetryAdvice = status === 429 ? retryAfter(headers["retry-after"], now) : { kind: "never" };
  return { kind: outcome, failure, retry, hint: retry.kind === "after" ? waitHint(retry.ms) : undefined };
}

/** The service documents two paths, and each service may take the other one. */
function notThere(failure: Failure, url: string): Outcome {
  const [path = ""] = /(\/api)?\/v1\/sms\/send$/.exec(url) ?? [];
  const other = url.slice(0, url.length - path.length) + otherPath(path);
  const sentence = failure.error.replace(": HTTP 404", "");
  const hint = `check the base URL, which \`sms status\` shows, or give ${other} as the base URL`;
  return {
    kind: "unsent",
    failure: { ...failure, error: `${sentence}: HTTP 404 at ${url}` },
    retry: { kind: "never" },
    hint,
  };
}

function foreignAnswer(status: number): string {
  return `the answer is not the documented JSON, so a gateway or a proxy may have refused the request: HTTP ${status}`;
}

const foreignHint = "ask whoever runs the network or the service; `--verbose` shows the answer";

/** A redirect names where the service may be; other answers have no use for a location. */
function movedTo(location: string | string[] | undefined, redact: Redact): string {
  return typeof location === "string" && location !== "" ? ` to ${cut(redact(location))}` : "";
}

/** The usual hint names a wait of a minute. */
function waitHint(ms: number): string | undefined {
  if (ms <= 60_000) return undefined;
  const minutes = Math.ceil(ms / 60_000);
  const hours = Math.floor(minutes / 60);
  const wait = hours === 0 ? `${minutes} min` : `${countText(hours)} h ${minutes % 60} min`;
  return `the service asks to wait ${wait}: send again then`;
}

type Meaning = readonly [Exclude<Outcome["kind"], "accepted">, ErrorKind, errorCode: string, error: string];

const meanings: Readonly<Record<number, Meaning>> = {
  401: ["rejected", "unauthorized", "UNAUTHORIZED", "the credentials were refused"],
  402: ["rejected", "no-credits", "INSUFFICIENT_CREDITS", "not enough credits"],
  403: ["rejected", "forbidden", "FORBIDDEN", "the sender ID or this IP address is not authorised"],
  408: ["uncertain", "no-answer", "NO_ANSWER", "the service timed out waiting for the request: HTTP 408"],
  429: ["unsent", "rate-limited", "RATE_LIMITED", "over the rate limit"],
};

function meaningOf(status: number): Meaning {
  const meaning = meanings[status];
  if (meaning !== undefined) return meaning;
  if ([301, 307, 308, 404, 405].includes(status)) {
    return [
      "unsent",
      "not-the-service",
      "NOT_THE_SERVICE",
      `the server at that address is not the service: HTTP ${status}`,
    ];
  }
  if (status >= 400 && status < 500)
    return ["rejected", "refused", "REFUSED", `the service refused it: HTTP ${status}`];
  if (status >= 500 && status < 600)
    return ["uncertain", "server-error", "SERVER_ERROR", `the service failed: HTTP ${status}`];
  return ["uncertain", "no-answer", "NO_ANSWER", `the service does not document this answer: HTTP ${status}`];
}

/** Source: docs/internals/service-interface.md, 2.2. */
function judgeReceipt(status: number, body: unknown, to: string): Outcome {
  const doubt = (why: string): Outcome => {
    const { kind, failure } = noAnswer(why, status);
    return { kind, failure: { ...failure, ...saidIn(body) } };
  };
  if (!isObject(body)) return doubt("the answer is not the documented JSON");
  if (body["success"] !== true) return doubt("the answer does not report success");
  const { messageId } = body;
  if (typeof messageId !== "string" || messageId === "") return doubt("the answer has no message id");
  if (typeof body["to"] !== "string" || body["to"] === "") return doubt("the answer names no recipient");
  if (body["to"] !== to) return doubt("the answer is for another recipient");
  return { kind: "accepted", receipt: readReceipt(body, { messageId, to }) };
}

function readReceipt(
  body: Readonly<Record<string, unknown>>,
  { messageId, to }: Pick<Receipt, "messageId" | "to">,
): Receipt {
  const { segments, totalCredits, totalCostKes, newBalance, status, senderId } = body;
  return {
    success: true,
    messageId,
    ...(isCount(segments) && { segments }),
    ...(isCount(totalCredits) && { totalCredits }),
    ...(isCount(totalCostKes) && { totalCostKes }),
    ...(isNumber(newBalance) && { newBalance }),
    ...(typeof status === "string" && { status }),
    to,
    ...(typeof senderId === "string" && { senderId }),
  };
}

/** The rest of the sentence about a break is ours. */
function withClean(why: Break, redact: Redact): Break {
  return why.kind === "network" ? { ...why, message: redact(why.message) } : why;
}

function unreached(why: Break): Outcome {
  const { error, isWorthRetrying, hint } = explainUnreached(why);
  return {
    kind: "unsent",
    failure: { kind: "unreachable", error, errorCode: "UNREACHABLE" },
    retry: { kind: isWorthRetrying ? "back-off" : "never" },
    hint,
  };
}

function brokenSentence(why: Break): string {
  switch (why.kind) {
    case "deadline":
      return "no answer came in time";
    case "stopped":
      return "sms stopped waiting for the answer";
    case "too-large":
      return "the answer is too large to be from the service";
    case "network":
      return `the connection broke before the answer was complete: ${why.message}`;
  }
}

function noAnswer(error: string, httpStatus?: number): Extract<Outcome, { readonly kind: "uncertain" }> {
  return {
    kind: "uncertain",
    failure: { kind: "no-answer", error, errorCode: "NO_ANSWER", httpStatus },
  };
}

/** Source: RFC 9110, 10.2.3. */
function retryAfter(header: string | string[] | undefined, now: number): RetryAdvice {
  if (typeof header !== "string") return { kind: "back-off" };
  if (/^\d+$/.test(header)) return { kind: "after", ms: Number(header) * 1000 };
  const date = /^[A-Z][a-z]{2},/.test(header) ? Date.parse(header) : NaN;
  return Number.isNaN(date) ? { kind: "back-off" } : { kind: "after", ms: Math.max(0, date - now) };
}

const utf8 = new TextDecoder("utf-8", { fatal: true });

/** Every text of the service is clean from here on, but the number, which must be the one that the message went to. */
function readJson(bytes: Uint8Array, redact: Redact): unknown {
  try {
    return JSON.parse(utf8.decode(bytes), (name, value: unknown) =>
      typeof value === "string" && name !== "to" ? redact(value) : value,
    );
  } catch {
    return undefined;
  }
}

function isDocumentedError(body: unknown): boolean {
  return isObject(body) && typeof body["error"] === "string";
}

/** A gateway, or a server that wants another protocol, answers 400 as well. */
export function isDocumentedRefusal(exchange: Exchange): boolean {
  return (
    exchange.kind === "answered" && exchange.answer.status === 400 && isDocumentedError(readJson(exchange.body, asItIs))
  );
}

/** What the service says of a failure comes before our words, whatever the status. */
function saidIn(body: unknown): Partial<Pick<Failure, "error" | "errorCode">> {
  const error = textField(body, "error");
  const code = codeField(body);
  return { ...(error && { error }), ...(code && { errorCode: code }) };
}

function textField(body: unknown, name: string): string | undefined {
  const value = isObject(body) ? body[name] : undefined;
  // The body is clean, since half of a secret would not be recognised.
  return typeof value === "string" && value !== "" ? cut(value) : undefined;
}

const mostErrorText = 500;

function cut(text: string): string {
  if (text.length <= mostErrorText) return text;
  const start = text.slice(0, mostErrorText - 1).toWellFormed();
  return `${start.replace(/\uFFFD$/, "")}…`;
}

/** A sentence in place of the code may be the text of the message, which nothing may keep. */
function codeField(body: unknown): string | undefined {
  const value = textField(body, "errorCode")?.trim() ?? "";
  if (/\s/.test(value)) return undefined;
  return value.replace(/\W/g, "").slice(0, 64) || undefined;
}

/** The sum of a million charges below this is still exact. */
const mostCharged = 1_000_000_000;

/** A negative charge would make room under a limit, and an absurd one would make the sum of a run absurd. */
function isCount(value: unknown): value is number {
  return isNumber(value) && value >= 0 && value <= mostCharged;
}

function isNumber(value: unknown): value is number {
  return typeof value === "number" && Math.abs(value) <= Number.MAX_SAFE_INTEGER;
}
