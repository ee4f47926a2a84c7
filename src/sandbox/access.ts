import { isLoopback } from "../host.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "./http-request.ts";
import { type Answer, json, refusal, withHeaders } from "./reply.ts";

const tokenRequired = withHeaders(
  refusal(401, "TOKEN_REQUIRED", "Open the address that the sandbox printed, or send its token as Bearer token"),
  { "WWW-Authenticate": 'Bearer realm="sandbox"' },
);

export const serverName = "sms-sandbox";

const healthy = json(200, { status: "ok" }, { Server: serverName });

export interface Access {
  readonly isLocal: boolean;
  /** The page and all under `/_sandbox` need it. If it is undefined, everyone on this machine may use them. */
  readonly token: string | undefined;
}

export function accessAnswer(request: HttpRequest, { isLocal, token }: Access): Answer | undefined {
  if (request.path === "/healthz" && (request.method === "GET" || request.method === "HEAD")) return healthy;
  const foreign = foreignness(request, isLocal);
  if (foreign !== undefined) return refusal(403, "FORBIDDEN", foreign);
  if (token === undefined || !(request.path === "/" || request.path.startsWith("/_sandbox/"))) return undefined;
  if (request.path === "/" && isSameSecret(request.query.get("token") ?? "", token)) return pageFor(request, token);
  const secrets = [(request.fields.authorization ?? "").replace(/^Bearer /i, ""), cookieOf(request)];
  return secrets.some((secret) => isSameSecret(secret, token)) ? undefined : tokenRequired;
}

/** Keeps the token in the browser, and out of its address bar and history. */
function pageFor(request: HttpRequest, token: string): Answer {
  const cookie = `${cookieName(request)}=${token}; Path=/; HttpOnly; SameSite=Strict`;
  return { kind: "answer", status: 303, headers: { Location: "/", "Set-Cookie": cookie }, body: "" };
}

/** A browser shares cookies between the ports of a machine. */
function cookieName({ host }: HttpRequest): string {
  return `sandbox_token_${/:(\d+)$/.exec(host)?.[1] ?? ""}`;
}

function cookieOf(request: HttpRequest): string {
  const cookies = (request.fields.cookie ?? "").split(/; */).map((pair) => pair.split("="));
  return cookies.find(([name]) => name === cookieName(request))?.[1] ?? "";
}

/**
 * Says why a request seems to come from a page of another site, which could read this server (DNS rebinding) or change
 * it (cross-site forms). Programs other than browsers send neither `Origin` nor `Sec-Fetch-Site`.
 */
function foreignness({ host, fields }: HttpRequest, isLocal: boolean): string | undefined {
  const { origin, "sec-fetch-site": site } = fields;
  if (isLocal && !isLoopback(host.replace(/:\d+$/, ""))) return "Host must be localhost, 127.0.0.1 or [::1]";
  // Another port of this machine is another site.
  if (origin && origin !== `http://${host}` && origin !== `https://${host}`)
    return "Origin must be a page of this server";
  if (!site || site === "same-origin" || site === "none") return undefined;
  return "Sec-Fetch-Site must be same-origin or none: pages of other sites may not use this server";
}

function isSameSecret(secret: string, other: string): boolean {
  const digestOf = (text: string) => createHash("sha256").update(text).digest();
  return timingSafeEqual(digestOf(secret), digestOf(other));
}
