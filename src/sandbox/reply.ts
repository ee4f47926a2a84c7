import type { ServerResponse } from "node:http";
import type { Listen } from "./publisher.ts";

/** A whole HTTP answer. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** Of the service's error body, where that is what the body is. */
  readonly errorCode?: string;
}

/** Server-sent events (https://html.spec.whatwg.org/multipage/server-sent-events.html), until either side leaves. */
export interface Stream {
  readonly kind: "stream";
  /** What whoever connects is told first. */
  readonly first: string;
  /** Tells the rest as it happens, until the function that it returns is called. */
  readonly listen: Listen<string>;
}

/** What the sandbox does with a request: answers it, perhaps by half, cuts the connection, stays silent, or tells more and more. */
export type Reply =
  | Answer
  | Stream
  | { readonly kind: "half"; readonly answer: Answer }
  | { readonly kind: "cut" }
  | { readonly kind: "hang" };

/** An answer with that value as its JSON body. */
export function json(status: number, value: unknown, headers: Answer["headers"] = {}): Answer {
  return {
    kind: "answer",
    status,
    headers: { "Content-Type": "application/json; charset=utf-8", ...headers },
    body: JSON.stringify(value),
  };
}

/** An answer with the service's error body (service-interface.md 2.3). */
export function refusal(
  status: number,
  errorCode: string,
  error: string,
  headers: Answer["headers"] = {},
): Answer {
  return { ...json(status, { error, errorCode }, headers), errorCode };
}

/** 401, with the challenge that RFC 9110 15.5.2 asks for. */
export function unauthorized(): Answer {
  return refusal(401, "UNAUTHORIZED", "Invalid credentials", {
    "WWW-Authenticate": 'Bearer realm="sandbox", Basic realm="sandbox"',
  });
}

/** 404, whatever was looked for. */
export function notFound(): Answer {
  return refusal(404, "NOT_FOUND", "Not found");
}

/** 402, in the words of service-interface.md 7. */
export function insufficientCredits(): Answer {
  return refusal(402, "INSUFFICIENT_CREDITS", "Insufficient SMS credits");
}

/** 403 for a sender ID that is not approved on the account. */
export function senderNotAuthorized(): Answer {
  return refusal(403, "SENDER_NOT_AUTHORIZED", "Sender ID not authorized");
}

/** 403 for a key that is restricted to other addresses. */
export function ipNotAllowed(): Answer {
  return refusal(403, "IP_NOT_ALLOWED", "This key may not be used from this IP address");
}

/** 500, and nothing more. */
export function internalError(): Answer {
  return refusal(500, "INTERNAL_ERROR", "Internal server error");
}

/** What stands between the client and the service answers so: a status, and no body. */
export function bare(status: number): Answer {
  return { kind: "answer", status, headers: {}, body: "" };
}

/** 429, with the whole seconds to wait, at least 1, in `Retry-After`. */
export function tooManyRequests(waitSeconds: number): Answer {
  return refusal(429, "RATE_LIMITED", "Too many requests", { "Retry-After": String(waitSeconds) });
}

/** Carries the reply out on the connection of the request. */
export function writeReply(response: ServerResponse, reply: Reply): void {
  switch (reply.kind) {
    case "answer":
      writeHead(response, reply);
      response.end(reply.body);
      return;
    case "half":
      writeHead(response, reply.answer);
      response.write(reply.answer.body.slice(0, reply.answer.body.length / 2), () => response.destroy());
      return;
    case "cut":
      response.destroy();
      return;
    case "hang":
      return;
    case "stream":
      streamTo(response, reply);
      return;
  }
}

function writeHead(response: ServerResponse, { status, headers, body }: Answer): void {
  // RFC 9110 8.6: a 204 has no length.
  const length = status === 204 ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  response.writeHead(status, { ...headers, ...length });
}

/** Proxies and browsers drop a connection that is silent for longer. Milliseconds. */
const heartbeatEvery = 15_000;

/** Bytes that may wait for a reader who does not read, beside what it was told first. */
const backlogAtMost = 4 * 1024 * 1024;

function streamTo(response: ServerResponse, { first, listen }: Stream): void {
  response.writeHead(200, {
    "Content-Type": "text/event-stream; charset=utf-8",
    "Cache-Control": "no-store",
  });
  if (response.req.method === "HEAD") return void response.end();
  const most = Buffer.byteLength(first) + backlogAtMost;
  const write = (text: string) => {
    if (response.writableLength > most) response.destroy();
    else if (!response.destroyed) response.write(text);
  };
  write(first);
  const stop = listen(write);
  const heartbeat = setInterval(write, heartbeatEvery, ": still here\n\n");
  response.on("close", () => {
    stop();
    clearInterval(heartbeat);
  });
}
