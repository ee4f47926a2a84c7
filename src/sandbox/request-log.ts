import type { HttpRequest } from "./http-request.ts";
import { type Answer, halfOf, type Handled, type Reply, type SendDetails, wholeHeaders } from "./reply.ts";
import { shownKey } from "../key.ts";

export interface SandboxRequest extends SendDetails {
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly target: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly reason: string;
  /** From its arrival to the answer or the end of the connection. */
  readonly milliseconds: number;
}

export interface SandboxExchange extends SandboxRequest {
  readonly headers: HttpRequest["headers"];
  readonly body: string;
  readonly answer: { readonly headers: HttpRequest["headers"]; readonly body: string } | null;
}

interface Recorded {
  readonly summary: SandboxRequest;
  readonly request: HttpRequest;
  readonly reply: Reply;
  readonly secretNames: readonly string[];
  readonly size: number;
}

const maxKept = 1000;

const maxSize = 8 * 1024 * 1024;

/** Characters of a message in the list. */
const maxListed = 160;

export function openRequestLog(
  now: () => number,
  publish: (event: { readonly name: "request"; readonly data: SandboxRequest }) => void,
) {
  const kept: Recorded[] = [];
  let cleared: readonly Recorded[] = [];
  let size = 0;
  let lastId = 0;
  const nextId = () => ++lastId;
  const add = (recorded: readonly Recorded[]) => {
    for (const one of recorded) size += one.size;
    while (kept.length > maxKept || (size > maxSize && kept.length > 1)) size -= kept.shift()?.size ?? 0;
  };
  return {
    list: (): readonly SandboxRequest[] => kept.map(({ summary }) => summary),
    exchange: (id: number): SandboxExchange | undefined => {
      const found = kept.find(({ summary }) => summary.id === id);
      return found && exchangeOf(found);
    },
    nextId,
    /** Records a request that ended now, with the names of body fields to redact; `began` in milliseconds since 1970. */
    record: (
      request: HttpRequest,
      handled: Handled & { readonly began?: number },
      secretNames: readonly string[],
    ): void => {
      const { reply, reason = "", requestId = nextId(), send, began = now() } = handled;
      const answer = answerOf(reply);
      const summary = {
        id: requestId,
        at: new Date(began).toISOString(),
        method: request.method,
        target: redactedTarget(request.target),
        status: answer?.status ?? 0,
        reason,
        milliseconds: Math.round(now() - began),
        ...send,
        ...(send?.message !== undefined && { message: listedText(send.message) }),
      };
      const recorded = { summary, request, reply, secretNames, size: sizeOf(request) + (answer?.body.length ?? 0) };
      kept.push(recorded);
      add([recorded]);
      publish({ name: "request", data: summary });
    },
    clear: (joins = false): void => {
      cleared = [...(joins ? cleared : []), ...kept.splice(0)];
      size = 0;
    },
    undo: (): void => {
      kept.unshift(...cleared);
      add(cleared);
      cleared = [];
    },
    endUndo: (): void => {
      cleared = [];
    },
  };
}

/** The answer of which the client got all or half. */
function answerOf(reply: Reply): Answer | undefined {
  return reply.kind === "answer" ? reply : reply.kind === "half" ? reply.answer : undefined;
}

function sizeOf({ target, headers, body }: HttpRequest): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, target.length + (body?.length ?? 0));
}

function exchangeOf({ summary, request, reply, secretNames }: Recorded): SandboxExchange {
  const { headers, body, contentType } = request;
  const text = body === undefined ? "(over 64 KiB: not kept)" : new TextDecoder().decode(body);
  const answer = answerOf(reply);
  return {
    ...summary,
    headers: headers.map(([name, value]) => [name, redactedHeader(name, value)]),
    body: redactedBody(text, contentType, secretNames),
    answer:
      answer === undefined
        ? null
        : {
            headers: Object.entries(wholeHeaders(answer)),
            body: reply.kind === "half" ? halfOf(answer) : answer.body,
          },
  };
}

const secretName = /key|passw|secret|token|cookie|auth/i;

/** A header value without its secret; what is shown of a key is its prefix and its last four characters. */
function redactedHeader(name: string, value: string): string {
  if (!secretName.test(name)) return redactedText(value);
  const [, scheme = "", secret = ""] = /^((?:bearer|basic)(?: +|$))?(.*)$/is.exec(value) ?? [];
  if (secret === "") return value;
  return scheme + (/^sk_(test|live)_/.test(secret) ? shownKey(secret) : "[redacted]");
}

/** The path and query of a request without keys and without the values of parameters that are named like secrets. */
function redactedTarget(target: string): string {
  return redactedText(redactedPairs(target, []));
}

/** The body of a request without keys and without the values of members that are named like secrets, or by `secretNames`. */
function redactedBody(body: string, contentType: string, secretNames: readonly string[]): string {
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

/** The beginning of a message, without keys. */
function listedText(message: string): string {
  return redactedText(message).slice(0, maxListed).toWellFormed();
}

function redactedText(text: string): string {
  return text.replace(/sk_(?:test|live)_[\w.~+/=-]+/g, shownKey);
}
