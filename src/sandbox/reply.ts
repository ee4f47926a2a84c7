import type { ServerResponse } from "node:http";
import type { Mode } from "./history.ts";

export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly errorCode?: string;
  readonly error?: string;
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html) until either side disconnects. */
interface Stream {
  readonly kind: "stream";
  readonly first: string;
  readonly listen: (write: (text: string) => void) => () => void;
}

export type Reply =
  | Answer
  | Stream
  | { readonly kind: "half"; readonly answer: Answer }
  | { readonly kind: "cut" }
  | { readonly kind: "hang" };

export interface SendDetails {
  readonly to?: string;
  /** The sender as the request gave it; of an accepted message its name. */
  readonly senderId?: string;
  readonly message?: string;
  readonly mode?: Mode;
  readonly key?: string;
  readonly messageId?: string;
  readonly fault?: string;
}

export interface Handled {
  readonly reply: Reply;
  readonly delay?: number;
  /** Present if the refusal is shown with its recipient. */
  readonly requestId?: number;
  /** Why it is answered so, in one sentence. */
  readonly reason?: string;
  /** Present if the message was accepted. */
  readonly segments?: number;
  readonly send?: SendDetails;
}

export function json(status: number, value: unknown, headers: Answer["headers"] = {}): Answer {
  return {
    kind: "answer",
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(value),
  };
}

/** An answer with an error body (docs/internals/service-interface.md, 2.3). */
export function refusal(status: number, errorCode: string, error: string): Answer {
  return { ...json(status, { error, errorCode }), errorCode, error };
}

export function withHeaders(answer: Answer, headers: Answer["headers"]): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** 401, with the challenge that RFC 9110 15.5.2 asks for. */
export const unauthorized = withHeaders(refusal(401, "UNAUTHORIZED", "Invalid credentials"), {
  "WWW-Authenticate": 'Bearer realm="sandbox", Basic realm="sandbox"',
});

export const notFound = refusal(404, "NOT_FOUND", "Not found");

/** 402, in the words of docs/internals/service-interface.md, 7. */
export const insufficientCredits = refusal(402, "INSUFFICIENT_CREDITS", "Insufficient SMS credits");

export const senderNotAuthorized = refusal(403, "SENDER_NOT_AUTHORIZED", "Sender ID not authorized");

/** An answer without a body, as proxies and gateways give it. */
export function bare(status: number): Answer {
  return { kind: "answer", status, headers: {}, body: "" };
}

/** 429 with `Retry-After` in whole seconds, at least 1. */
export function tooManyRequests(waitSeconds: number): Answer {
  return withHeaders(refusal(429, "RATE_LIMITED", "Too many requests"), { "Retry-After": String(waitSeconds) });
}

export function writeReply(response: ServerResponse, reply: Reply): void {
  switch (reply.kind) {
    case "answer":
      writeHead(response, reply);
      response.end(reply.body);
      return;
    case "half":
      writeHead(response, reply.answer);
      response.write(halfOf(reply.answer), () => response.destroy());
      return;
    case "cut":
      return void response.destroy();
    case "hang":
      return;
    case "stream":
      return streamTo(response, reply);
  }
}

export function halfOf({ body }: Answer): string {
  return body.slice(0, body.length / 2);
}

function writeHead(response: ServerResponse, answer: Answer): void {
  response.writeHead(answer.status, wholeHeaders(answer));
}

export function wholeHeaders({ status, headers, body }: Answer): Answer["headers"] {
  // A 204 has no Content-Length (RFC 9110 8.6).
  const length: Answer["headers"] = status === 204 ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  return { ...headers, ...length };
}

/** Proxies and browsers drop silent connections. */
const heartbeatMs = 15_000;

/** How much a slow reader may fall behind, besides the first text. */
const maxBacklogBytes = 1024 * 1024;

function streamTo(response: ServerResponse, { first, listen }: Stream): void {
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
  });
  if (response.req.method === "HEAD") return void response.end();
  const maxBytes = Buffer.byteLength(first) + maxBacklogBytes;
  const write = (text: string) => {
    if (response.writableLength > maxBytes) response.destroy();
    else if (!response.destroyed) response.write(text);
  };
  write(first);
  const stop = listen(write);
  const heartbeat = setInterval(write, heartbeatMs, ": heartbeat\n\n");
  response.on("close", () => {
    stop();
    clearInterval(heartbeat);
  });
}
