import type { ServerResponse } from "node:http";

/** A test key is never charged. */
export type AccountMode = "test" | "live" | "account";

export interface SandboxMessage {
  readonly messageId: string;
  readonly to: string;
  readonly senderId: string;
  readonly message: string;
  readonly encoding: "GSM-7" | "UCS-2";
  readonly parts: readonly string[];
  readonly segments: number;
  /** A test key is not charged, and has a price all the same. */
  readonly totalCredits: number;
  readonly totalCostKes: number;
  readonly mode: AccountMode;
  /** The key for display; absent for account credentials. */
  readonly key?: string;
  readonly at: string;
  /** The end of a number such as `000598`, or a fault such as `reset-after`, that broke the answer. */
  readonly fault?: string;
}

export interface Answer {
  /** If it is `half`, the client gets half of the body. */
  readonly kind: "answer" | "half";
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly errorCode?: string;
  readonly error?: string;
}

export type Reply = Answer | { readonly kind: "cut" | "hang" };

export interface SendDetails {
  /** A request without a message asks only whether its credentials are taken. */
  readonly isCheck?: true;
  readonly to?: string;
  /** If the message was refused, the sender as the request had it. */
  readonly senderId?: string;
  readonly message?: string;
  readonly mode?: AccountMode;
  /** The key for display, if it is one of the account. */
  readonly key?: string;
  /** The end of a number such as `000500`, or a fault such as `500`, that made the answer. */
  readonly fault?: string;
}

export interface Handled {
  readonly reply: Reply;
  readonly delayMs?: number;
  readonly reason?: string;
  readonly accepted?: SandboxMessage;
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

export function invalidRequest(error: string): Answer {
  return refusal(400, "INVALID_REQUEST", error);
}

export function withHeaders(answer: Answer, headers: Answer["headers"]): Answer {
  return { ...answer, headers: { ...answer.headers, ...headers } };
}

/** RFC 9110, 15.5.2, asks for the challenge. */
export const unauthorized = withHeaders(refusal(401, "UNAUTHORIZED", "Invalid credentials"), {
  "WWW-Authenticate": 'Bearer realm="sandbox", Basic realm="sandbox"',
});

export const notFound = refusal(404, "NOT_FOUND", "Not found");

/** In the words of docs/internals/service-interface.md, 6. */
export const insufficientCredits = refusal(402, "INSUFFICIENT_CREDITS", "Insufficient SMS credits");

export const senderNotAuthorized = refusal(403, "SENDER_NOT_AUTHORIZED", "Sender ID not authorized");

/** Proxies and gateways answer without a body. */
export function bare(status: number): Answer {
  return { kind: "answer", status, headers: {}, body: "" };
}

export function tooManyRequests(waitSeconds: number): Answer {
  return withHeaders(refusal(429, "RATE_LIMITED", "Too many requests"), { "Retry-After": String(waitSeconds) });
}

export function writeReply(response: ServerResponse, reply: Reply): void {
  if (reply.kind === "cut") response.destroy();
  if (!("status" in reply)) return;
  response.writeHead(reply.status, wholeHeaders(reply));
  if (reply.kind === "half") response.write(bodyOnWire(reply), () => response.destroy());
  else response.end(reply.body);
}

export function bodyOnWire({ kind, body }: Answer): string {
  return kind === "half" ? body.slice(0, body.length / 2) : body;
}

export function wholeHeaders({ status, headers, body }: Answer): Answer["headers"] {
  // A 204 has no Content-Length (RFC 9110 8.6).
  const length: Answer["headers"] = status === 204 ? {} : { "Content-Length": String(Buffer.byteLength(body)) };
  return { ...headers, ...length };
}
