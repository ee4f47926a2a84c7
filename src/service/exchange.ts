// service: one attempt a call, and no decision about the next.

import type { Failure } from "../message/outcome.ts";
import type { Dispatcher } from "undici";
import type { WireRequest } from "./request.ts";

const largestAnswerBytes = 64 * 1024;

export type Break =
  | { readonly kind: "deadline" }
  | { readonly kind: "stopped" }
  | { readonly kind: "too-large" }
  /** `peer` is the host at the other end, such as `the service at HOST:PORT`. */
  | { readonly kind: "network"; readonly code: string; readonly message: string; readonly peer?: string };

export type Exchange =
  | { readonly kind: "unreached"; readonly why: Break }
  | { readonly kind: "broken"; readonly why: Break; readonly answer: AnswerHead | undefined }
  | { readonly kind: "answered"; readonly answer: AnswerHead; readonly body: Uint8Array };

export interface AnswerHead {
  readonly url: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Either signal breaks the request off, even if it has begun. */
interface ExchangeSignals {
  readonly deadline: AbortSignal;
  readonly stop: AbortSignal;
}

export interface StartedExchange {
  /** A stop asks this. undici writes nothing before its `onRequestStart`. */
  readonly hasBegun: () => boolean;
  readonly breakOff: (why: Break) => void;
}

/** Calls `onEnd` once, after returning. */
export function startExchange(
  dispatcher: Dispatcher,
  request: WireRequest,
  onEnd: (exchange: Exchange) => void,
): StartedExchange {
  let controller: Dispatcher.DispatchController | undefined;
  let answer: AnswerHead | undefined;
  let isOver = false;
  const chunks: Uint8Array[] = [];
  let size = 0;

  const finish = (result: Exchange) => {
    isOver = true;
    onEnd(result);
  };
  const end = (why: Break) => {
    if (isOver) return;
    finish(controller === undefined ? { kind: "unreached", why } : { kind: "broken", why, answer });
    controller?.abort(new Error(why.kind));
  };
  const breakOff = (why: Break) => {
    // Timers come before sockets: after a suspension, an answer that has arrived is read first.
    if (why.kind === "deadline" && controller !== undefined) setImmediate(() => end(why));
    else end(why);
  };

  const handler: Dispatcher.DispatchHandler = {
    onRequestStart(newController) {
      // undici writes nothing after an abort here.
      if (isOver) newController.abort(new Error("broken off"));
      else controller = newController;
    },
    onResponseStart(_, status, headers) {
      if (status >= 200) answer = { url: request.origin + request.path, status, headers };
    },
    onResponseData(_, chunk) {
      size += chunk.byteLength;
      if (size > largestAnswerBytes) breakOff({ kind: "too-large" });
      else chunks.push(chunk);
    },
    onResponseEnd() {
      if (answer !== undefined && !isOver) finish({ kind: "answered", answer, body: Buffer.concat(chunks) });
    },
    onResponseError(_, error) {
      breakOff(networkBreak(error, request.origin));
    },
  };

  try {
    // undici takes twice as long for a spread object.
    const { origin, path, headers, body } = request;
    dispatcher.dispatch({ origin, path, method: "POST", headers, body }, handler);
  } catch (error) {
    queueMicrotask(() => breakOff(networkBreak(error, request.origin)));
  }
  return { hasBegun: () => controller !== undefined, breakOff };
}

export function exchange(dispatcher: Dispatcher, request: WireRequest, signals: ExchangeSignals): Promise<Exchange> {
  const { deadline, stop } = signals;
  const orders = [
    [deadline, { kind: "deadline" }],
    [stop, { kind: "stopped" }],
  ] as const;
  const [order] = orders.filter(([signal]) => signal.aborted);
  if (order !== undefined) return Promise.resolve({ kind: "unreached", why: order[1] });
  return new Promise((resolve) => {
    const { breakOff } = startExchange(dispatcher, request, resolve);
    for (const [signal, why] of orders) signal.addEventListener("abort", () => breakOff(why));
  });
}

export class ProxyError extends Error {
  readonly code: string;
  readonly peer: string;

  constructor(proxy: URL, cause: { readonly code?: string | undefined; readonly message: string }) {
    super(cause.message);
    this.code = cause.code ?? "";
    this.peer = `the proxy at ${hostAndPort(proxy)}`;
  }
}

function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/** If all addresses failed, an AggregateError has no code; its first error has one. */
function networkBreak(error: unknown, origin: string): Break {
  const peer = error instanceof ProxyError ? error.peer : `the service at ${hostAndPort(new URL(origin))}`;
  const first: unknown = error instanceof AggregateError && error.errors.length > 0 ? error.errors[0] : error;
  if (!(first instanceof Error)) return { kind: "network", code: "", message: String(first), peer };
  const code = "code" in first ? String(first.code) : "";
  return { kind: "network", code, message: reasonOf(first), peer };
}

/** OpenSSL's message has addresses and source files; Node gives the reason apart. */
function reasonOf(error: Error): string {
  return "reason" in error && typeof error.reason === "string" ? error.reason : error.message;
}

export type WireEvent =
  | { readonly kind: "request"; readonly request: WireRequest }
  | { readonly kind: "exchange"; readonly exchange: Exchange }
  | { readonly kind: "waiting"; readonly ms: number; readonly failure: Failure };
