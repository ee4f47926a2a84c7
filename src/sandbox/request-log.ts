import type { HttpRequest } from "./http-request.ts";
import { redactedBody, redactedHeader, redactedTarget } from "./redaction.ts";
import { type Answer, halfOf, type Handled, type Reply, type SendDetails, wholeHeaders } from "./reply.ts";

/** A request that was answered, or that ended without an answer. */
export interface SandboxRequest extends SendDetails {
  readonly id: number;
  /** When it arrived: ISO 8601 in UTC. */
  readonly at: string;
  readonly method: string;
  /** Path and query, without secrets. */
  readonly target: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly reason: string;
  /** From its arrival to the answer or the end of the connection. */
  readonly milliseconds: number;
}

/** A request with all that was exchanged, without secrets. */
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

/** Opens an empty log; `now` in milliseconds since 1970. */
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
    /** Returns the id for a request that is recorded later. */
    nextId,
    /** Records a request that ended now; `began` in milliseconds since 1970, and the names of body fields to redact. */
    record: (request: HttpRequest, handled: Handled, began: number, secretNames: readonly string[]): void => {
      const { reply, reason = "", requestId = nextId(), send } = handled;
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
      };
      const recorded = { summary, request, reply, secretNames, size: sizeOf(request) + (answer?.body.length ?? 0) };
      kept.push(recorded);
      add([recorded]);
      publish({ name: "request", data: summary });
    },
    clear: (): void => {
      cleared = kept.splice(0);
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
