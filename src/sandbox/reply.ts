import type { ServerResponse } from "node:http";

/** A whole HTTP answer. */
export interface Answer {
  readonly kind: "answer";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** What the sandbox does with a request: answers it, cuts the connection without a byte, or stays silent. */
export type Reply = Answer | { readonly kind: "cut" } | { readonly kind: "hang" };

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
  return json(status, { error, errorCode }, headers);
}

/** 401, with the challenge that RFC 9110 15.5.2 asks for. */
export function unauthorized(): Answer {
  return refusal(401, "UNAUTHORIZED", "Invalid credentials", {
    "WWW-Authenticate": 'Bearer realm="sandbox", Basic realm="sandbox"',
  });
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
        "Content-Length": String(Buffer.byteLength(reply.body)),
      });
      response.end(reply.body);
      return;
    case "cut":
      response.destroy();
      return;
    case "hang":
      return;
  }
}
