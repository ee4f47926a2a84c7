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

/** What the sandbox does with a request: answers it, cuts the connection without a byte, stays silent, or tells more and more. */
export type Reply = Answer | Stream | { readonly kind: "cut" } | { readonly kind: "hang" };

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

/** 429, with the whole seconds to wait, at least 1, in `Retry-After`. */
export function tooManyRequests(waitSeconds: number): Answer {
  return refusal(429, "RATE_LIMITED", "Too many requests", { "Retry-After": String(waitSeconds) });
}

/** Carries the reply out on the connection of the request. */
export function writeReply(response: ServerResponse, reply: Reply): void {
  switch (reply.kind) {
    case "answer":
      response.writeHead(reply.status, {
        ...reply.headers,
        // RFC 9110 8.6: a 204 has none.
        ...(reply.status !== 204 && { "Content-Length": String(Buffer.byteLength(reply.body)) }),
      });
      response.end(reply.body);
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
    else response.write(text);
  };
  write(first);
  const stop = listen(write);
  const heartbeat = setInterval(write, heartbeatEvery, ": still here\n\n");
  response.on("close", () => {
    stop();
    clearInterval(heartbeat);
  });
}
