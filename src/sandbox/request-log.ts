import type { Mode } from "./credentials.ts";
import type { Handled } from "./handled.ts";
import type { HttpRequest } from "./http-request.ts";
import { type Listen, publisher } from "./publisher.ts";
import { redactedBody, redactedHeader, redactedTarget } from "./redaction.ts";
import { wholeHeaders } from "./reply.ts";

/** A request that was answered, or that ended without an answer. */
export interface SandboxRequest {
  /** Counts from 1. */
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
  readonly to?: string;
  /** The sender as the request gave it; of an accepted message its name. */
  readonly senderId?: string;
  readonly mode?: Mode;
  /** The key for display, if it is one of the account. */
  readonly key?: string;
  /** The message that it became. */
  readonly messageId?: string;
  readonly fault?: string;
}

/** A request with all that was exchanged, without secrets. */
export interface SandboxExchange extends SandboxRequest {
  readonly headers: HttpRequest["headers"];
  readonly body: string;
  /** Null without an answer. */
  readonly answer: { readonly headers: HttpRequest["headers"]; readonly body: string } | null;
}

interface Recorded extends Pick<Handled, "reply"> {
  readonly summary: SandboxRequest;
  readonly request: HttpRequest;
  readonly secretNames: readonly string[];
  readonly size: number;
}

/** The latest requests, in memory. */
export interface RequestLog {
  /** Oldest first. */
  readonly list: () => readonly SandboxRequest[];
  readonly exchange: (id: number) => SandboxExchange | undefined;
  /** Returns the id for a request that is recorded later. */
  readonly nextId: () => number;
  /** Records a request that ended now; `began` in milliseconds since 1970, and the names of body fields to redact. */
  readonly record: (request: HttpRequest, handled: Handled, began: number, secretNames: readonly string[]) => void;
  readonly clear: () => void;
  /** Brings back what the last `clear` deleted. */
  readonly undo: () => void;
  /** Lets nothing be brought back. */
  readonly endUndo: () => void;
  readonly listen: Listen<{ readonly name: "request"; readonly data: SandboxRequest }>;
}

const maxKept = 1000;

/** Bytes of bodies and characters of headers. */
const maxSize = 8 * 1024 * 1024;

/** Opens an empty log; `now` in milliseconds since 1970. */
export function openRequestLog(now: () => number): RequestLog {
  const kept: Recorded[] = [];
  let cleared: readonly Recorded[] = [];
  const { publish, listen } = publisher<{ readonly name: "request"; readonly data: SandboxRequest }>();
  let size = 0;
  let lastId = 0;
  const nextId = () => ++lastId;
  const trim = () => {
    while (kept.length > maxKept || (size > maxSize && kept.length > 1)) size -= kept.shift()?.size ?? 0;
  };
  return {
    list: () => kept.map(({ summary }) => summary),
    exchange: (id) => {
      const found = kept.find(({ summary }) => summary.id === id);
      return found && exchangeOf(found);
    },
    nextId,
    record: (request, handled, began, secretNames) => {
      const { reply, reason = "", to, senderId, mode, key, messageId, fault } = handled;
      const hasStatus = reply.kind === "answer" || reply.kind === "half";
      const answer = reply.kind === "answer" ? reply : reply.kind === "half" ? reply.answer : undefined;
      const summary: SandboxRequest = {
        id: handled.requestId ?? nextId(),
        at: new Date(began).toISOString(),
        method: request.method,
        target: redactedTarget(request.target),
        status: hasStatus ? (answer?.status ?? 0) : 0,
        reason,
        milliseconds: Math.round(now() - began),
        ...(to !== undefined && { to }),
        ...(senderId !== undefined && { senderId }),
        ...(mode !== undefined && { mode }),
        ...(key !== undefined && { key }),
        ...(messageId !== undefined && { messageId }),
        ...(fault !== undefined && { fault }),
      };
      const recorded = { summary, request, reply, secretNames, size: sizeOf(request, answer?.body ?? "") };
      kept.push(recorded);
      size += recorded.size;
      trim();
      publish({ name: "request", data: summary });
    },
    clear: () => {
      cleared = kept.splice(0);
      size = 0;
    },
    undo: () => {
      for (const recorded of cleared) size += recorded.size;
      kept.unshift(...cleared);
      cleared = [];
      trim();
    },
    endUndo: () => {
      cleared = [];
    },
    listen,
  };
}

function sizeOf({ target, headers, body }: HttpRequest, answer: string): number {
  const lengths = headers.map(([name, value]) => name.length + value.length);
  return lengths.reduce((sum, length) => sum + length, target.length + (body?.length ?? 0) + answer.length);
}

function exchangeOf({ summary, request, reply, secretNames }: Recorded): SandboxExchange {
  const { headers, body, contentType } = request;
  const text = body === undefined ? "(over 64 KiB: not kept)" : new TextDecoder().decode(body);
  const answer = reply.kind === "answer" ? reply : reply.kind === "half" ? reply.answer : undefined;
  const answerBody = answer?.body ?? "";
  return {
    ...summary,
    headers: headers.map(([name, value]) => [name, redactedHeader(name, value)]),
    body: redactedBody(text, contentType, secretNames),
    answer:
      answer === undefined
        ? null
        : {
            headers: Object.entries(wholeHeaders(answer)),
            body: reply.kind === "half" ? answerBody.slice(0, answerBody.length / 2) : answerBody,
          },
  };
}
