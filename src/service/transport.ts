import type { buildConnector, Client, Dispatcher } from "undici";
import type { AnswerHead, Break, Exchange } from "./exchange.ts";
import { withLazyParser } from "./lazy-parser.ts";
import { tunnelThrough } from "./proxy.ts";
import type { WireRequest } from "./request.ts";

/** No answer of the service comes near this; more is not the service talking. Bytes. */
const largestAnswer = 64 * 1024;

/** The same of its head, which is Node's own limit as well. Bytes. */
const largestHead = 16 * 1024;

/** How long a connection may take, TLS included, before another try may be worth more. Milliseconds. */
const connectTimeout = 10_000;

/** What ends an exchange early. */
export interface ExchangeSignals {
  /** Our own deadline is over. */
  readonly deadline: AbortSignal;
  /** Obeyed while the request has not begun; once it has, its answer is awaited. */
  readonly stop: AbortSignal;
  /** Obeyed at any time. */
  readonly leave: AbortSignal;
}

/**
 * A dispatcher to `origin` that never repeats a request and never reuses an idle connection: HTTP/1.1, a connection for
 * each request, through a tunnel where there is a proxy. Whoever opens it must destroy it.
 */
export async function openDispatcher(origin: string, proxy: URL | undefined): Promise<Dispatcher> {
  const undici = await import("undici");
  const { connect, ...options } = await clientOptions(undici.buildConnector, proxy);
  return new undici.Client(origin, { ...options, connect: await withLazyParser(connect), pipelining: 0 });
}

/** What every client of the service is opened with: HTTP/1.1, no timeout but that of connecting, the proxy's tunnel. */
export async function clientOptions(
  makeConnector: typeof buildConnector,
  proxy: URL | undefined,
): Promise<Client.Options & { connect: buildConnector.connector }> {
  const connect = makeConnector({ timeout: connectTimeout });
  return {
    allowH2: false,
    maxHeaderSize: largestHead,
    // The deadline is ours, over the whole exchange; undici's own would only end parts of it.
    headersTimeout: 0,
    bodyTimeout: 0,
    connect: proxy === undefined ? connect : await tunnelThrough(proxy, connect, connectTimeout),
  };
}

/** An exchange under way. */
export interface StartedExchange {
  /** Whether the request may be on its way: from undici's `onRequestStart`, before which nothing is written to a socket. */
  readonly hasBegun: () => boolean;
  /** Ends it now, for this reason, unless it has ended. */
  readonly breakOff: (why: Break) => void;
}

/**
 * Starts one attempt at one request, which never repeats itself. `onEnd` is told once, never before this returns, when it
 * is answered, fails or is broken off.
 */
export function startExchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  onEnd: (exchange: Exchange) => void,
): StartedExchange {
  let controller: Dispatcher.DispatchController | undefined;
  let answer: AnswerHead | undefined;
  let settled = false;
  const chunks: Uint8Array[] = [];
  let received = 0;

  const settle = (result: Exchange) => {
    settled = true;
    onEnd(result);
  };
  const breakOff = (why: Break) => {
    if (settled) return;
    settle(controller === undefined ? { kind: "unreached", why } : { kind: "broken", why, answer });
    controller?.abort(new Error(why.kind));
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(started) {
      // Given up while it waited for a connection: undici writes nothing once it is aborted here.
      if (settled) started.abort(new Error("given up"));
      else controller = started;
    },
    onResponseStart(_, status, headers) {
      // Informational answers (1xx) come before the one that counts.
      if (status >= 200) answer = { status, headers };
    },
    onResponseData(_, chunk) {
      received += chunk.byteLength;
      if (received > largestAnswer) breakOff({ kind: "too-large" });
      else chunks.push(chunk);
    },
    onResponseEnd() {
      if (answer !== undefined && !settled) settle({ kind: "answered", answer, body: Buffer.concat(chunks) });
    },
    onResponseError(_, error) {
      breakOff(networkBreak(error));
    },
  };

  try {
    // Written out: undici takes twice as long over an object that was spread.
    const { origin, path, headers, body } = request;
    dispatcher.dispatch({ origin, path, method: "POST", headers, body }, handler);
  } catch (error) {
    queueMicrotask(() => breakOff(networkBreak(error)));
  }
  return { hasBegun: () => controller !== undefined, breakOff };
}

/** Makes one attempt at one request and says what came of it; never rejects, never repeats. */
export async function exchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  signals: ExchangeSignals,
): Promise<Exchange> {
  const { deadline, stop, leave } = signals;
  if (deadline.aborted) return { kind: "unreached", why: { kind: "deadline" } };
  if (stop.aborted || leave.aborted) return { kind: "unreached", why: { kind: "stopped" } };
  let resolve: (result: Exchange) => void = () => {};
  const ended = new Promise<Exchange>((fulfil) => (resolve = fulfil));
  const { hasBegun, breakOff } = startExchange(dispatcher, request, (result) => resolve(result));
  const obeyed: readonly (readonly [AbortSignal, () => void])[] = [
    [deadline, () => breakOff({ kind: "deadline" })],
    [leave, () => breakOff({ kind: "stopped" })],
    [stop, () => hasBegun() || breakOff({ kind: "stopped" })],
  ];
  for (const [signal, obey] of obeyed) signal.addEventListener("abort", obey);
  try {
    return await ended;
  } finally {
    for (const [signal, obey] of obeyed) signal.removeEventListener("abort", obey);
  }
}

/** The code and sentence of an error, looking into an AggregateError, whose own are empty where all addresses failed. */
function networkBreak(error: unknown): Break {
  const first: unknown = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  if (!(first instanceof Error)) return { kind: "network", code: "", message: String(first) };
  return { kind: "network", code: "code" in first ? String(first.code) : "", message: first.message };
}
