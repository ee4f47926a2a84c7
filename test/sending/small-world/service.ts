import type { Exchange } from "../../../src/service/exchange.ts";
import type { WireRequest } from "../../../src/service/request.ts";

/** If the fate is `unknown`, the message may be on a phone. */
export type Fate = "delivered" | "not delivered" | "unknown";

/** One way an exchange can end: what the client sees of it, and what is true. */
interface Ending {
  readonly fate: Fate;
  readonly exchange: (request: WireRequest) => Exchange;
}

function answered(status: number, body: unknown, headers: Readonly<Record<string, string>> = {}): Exchange {
  const bytes = new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
  return { kind: "answered", answer: { url: "", status, headers }, body: bytes };
}

function receipt({ body }: WireRequest): Exchange {
  const { to }: { to: string } = JSON.parse(body);
  const charge = { segments: 1, totalCredits: 1, totalCostKes: 0.8, newBalance: 9 };
  return answered(200, { success: true, messageId: `msg-${to}`, ...charge, status: "queued", to });
}

const cut = { kind: "network", code: "UND_ERR_SOCKET", message: "other side closed" } as const;
const refused = { kind: "network", code: "ECONNREFUSED", message: "refused" } as const;
const untrusted = { kind: "network", code: "CERT_HAS_EXPIRED", message: "expired" } as const;

/** The outcome table of docs/outcomes.md, with the retries that each answer allows. */
export const endings = {
  accepted: { fate: "delivered", exchange: receipt },
  "cut off": { fate: "unknown", exchange: () => ({ kind: "broken", why: cut, answer: undefined }) },
  "not reached": { fate: "not delivered", exchange: () => ({ kind: "unreached", why: refused }) },
  "HTTP 429": { fate: "not delivered", exchange: () => answered(429, {}) },
  "HTTP 400": { fate: "not delivered", exchange: () => answered(400, {}) },
  "HTTP 500": { fate: "unknown", exchange: () => answered(500, {}) },
  "HTTP 200 without JSON": { fate: "unknown", exchange: () => answered(200, "<html>") },
  "HTTP 401": { fate: "not delivered", exchange: () => answered(401, {}) },
  "HTTP 402": { fate: "not delivered", exchange: () => answered(402, {}) },
  "HTTP 403": { fate: "not delivered", exchange: () => answered(403, {}) },
  "HTTP 404": { fate: "not delivered", exchange: () => answered(404, {}) },
  "HTTP 408": { fate: "unknown", exchange: () => answered(408, {}) },
  "HTTP 429, wait 2 s": { fate: "not delivered", exchange: () => answered(429, {}, { "retry-after": "2" }) },
  "certificate expired": { fate: "not delivered", exchange: () => ({ kind: "unreached", why: untrusted }) },
} as const satisfies Readonly<Record<string, Ending>>;

export type EndingName = keyof typeof endings;

export const endingNames = Object.keys(endings).filter(isEndingName);

function isEndingName(name: string): name is EndingName {
  return Object.hasOwn(endings, name);
}

/**
 * One ending for each class of endings between which the engine makes no difference: same outcome, same retry, same rules
 * on whether the run goes on and on whether the message is due when it is continued.
 */
export const classes: Readonly<Record<EndingName, EndingName>> = {
  accepted: "accepted",
  "cut off": "cut off",
  "HTTP 500": "cut off",
  "HTTP 408": "cut off",
  "HTTP 200 without JSON": "cut off",
  "HTTP 400": "HTTP 400",
  "HTTP 401": "HTTP 402",
  "HTTP 402": "HTTP 402",
  "HTTP 403": "HTTP 402",
  "HTTP 404": "HTTP 404",
  "HTTP 429": "HTTP 429",
  "HTTP 429, wait 2 s": "HTTP 429, wait 2 s",
  "not reached": "not reached",
  "certificate expired": "certificate expired",
};
