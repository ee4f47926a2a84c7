import type { HttpRequest } from "./http-request.ts";
import { redactedBody, redactedHeader, redactedTarget } from "./redaction.ts";
import { bodyOnWire, type Handled, type Reply, type SandboxMessage, type SendDetails, wholeHeaders } from "./reply.ts";

export interface LoggedRequest extends SendDetails {
  readonly id: number;
  readonly at: string;
  readonly method: string;
  readonly target: string;
  /** The HTTP status; 0 without an answer. */
  readonly status: number;
  readonly errorCode?: string;
  readonly reason: string;
  readonly accepted?: SandboxMessage;
}

type Headers = readonly (readonly [name: string, value: string])[];

export interface LoggedExchange {
  readonly headers: Headers;
  readonly body: string;
  readonly answer: { readonly headers: Headers; readonly body: string } | null;
}

interface Wire {
  readonly request: HttpRequest;
  readonly reply: Reply;
  readonly size: number;
}

/** Older entries are dropped: a sandbox may run for months. */
const maxEntries = 100_000;

const maxExchanges = 1000;

const maxExchangeBytes = 8 * 1024 * 1024;

/** `entries` is always the same array. */
export function openLog(now: () => number) {
  const entries: LoggedRequest[] = [];
  const exchanges = new Map<number, Wire>();
  const openedAt = now();
  let exchangeBytes = 0;
  let lastId = 0;
  let changes = 0;

  return {
    entries,
    /** Differs after each change, and after a restart on the same port. */
    version: () => `${openedAt}-${changes}`,
    messages: (): readonly SandboxMessage[] => entries.flatMap(({ accepted }) => accepted ?? []),
    exchange: (id: number): LoggedExchange | undefined => {
      const wire = exchanges.get(id);
      return wire && exchangeOf(wire);
    },
    add: (request: HttpRequest, { reply, reason = "", send, accepted }: Handled): number => {
      const id = ++lastId;
      const answer = "status" in reply ? reply : undefined;
      const size = sizeOf(request) + (answer?.body.length ?? 0);
      entries.push({
        id,
        at: accepted?.at ?? new Date(now()).toISOString(),
        method: request.method,
        target: redactedTarget(request.target),
        status: answer?.status ?? 0,
        errorCode: answer?.errorCode,
        reason,
        ...send,
        accepted,
      });
      if (entries.length > maxEntries) entries.shift();
      exchanges.set(id, { request, reply, size });
      exchangeBytes += size;
      for (const [oldest, exchange] of exchanges) {
        if (exchanges.size <= maxExchanges && (exchangeBytes <= maxExchangeBytes || exchanges.size === 1)) break;
        exchanges.delete(oldest);
        exchangeBytes -= exchange.size;
      }
      changes++;
      return id;
    },
    noteDisconnect: (id: number): void => {
      const index = entries.findLastIndex((entry) => entry.id === id);
      const entry = entries[index];
      if (entry === undefined) return;
      entries[index] = { ...entry, status: 0, reason: `The client disconnected before the answer: ${entry.reason}` };
      const wire = exchanges.get(id);
      if (wire !== undefined) exchanges.set(id, { ...wire, reply: { kind: "cut" } });
      changes++;
    },
    clear: (): void => {
      entries.length = 0;
      exchanges.clear();
      exchangeBytes = 0;
      changes++;
    },
  };
}

function sizeOf({ target, headers, body }: HttpRequest): number {
  return headers.reduce((sum, [name, value]) => sum + name.length + value.length, target.length + (body?.length ?? 0));
}

function exchangeOf({ request: { headers, body, fields }, reply }: Wire): LoggedExchange {
  const text = body === undefined ? "(over 64 KiB: not kept)" : new TextDecoder().decode(body);
  return {
    headers: headers.map(([name, value]) => [name, redactedHeader(name, value)]),
    body: redactedBody(text, fields["content-type"]),
    answer: "status" in reply ? { headers: Object.entries(wholeHeaders(reply)), body: bodyOnWire(reply) } : null,
  };
}
