import { isLoopback } from "../host.ts";
import { createHash, timingSafeEqual } from "node:crypto";
import type { HttpRequest } from "./http-request.ts";
import { type Answer, json, refusal, withHeaders } from "./reply.ts";

const tokenRequired = withHeaders(
  refusal(401, "TOKEN_REQUIRED", "Open the address that the sandbox printed, or send its token as Bearer token"),
  { "WWW-Authenticate": 'Bearer realm="sandbox"' },
);

/** What a sandbox calls itself at `/healthz`, in the header `Server`. */
export const serverName = "sms-sandbox";

const healthy = json(200, { status: "ok" }, { Server: serverName });

export interface Access {
  readonly isLocal: boolean;
  /** What the page and all under `/_sandbox` need; undefined if everyone on this machine may use them. */
  readonly token: string | undefined;
}

/** Answers whether the sandbox is healthy, and requests that may not use it; undefined for all others. */
export function guard(request: HttpRequest, { isLocal, token }: Access): Answer | undefined {
  if (request.path === "/healthz" && (request.method === "GET" || request.method === "HEAD")) return healthy;
  const foreign = foreignness(request, isLocal);
  if (foreign !== undefined) return refusal(403, "FORBIDDEN", foreign);
  if (token === undefined || !(request.path === "/" || request.path.startsWith("/_sandbox/"))) return undefined;
  if (request.path === "/" && isSameSecret(request.query.get("token") ?? "", token)) return pageFor(request, token);
  const secrets = [request.authorization.replace(/^Bearer /i, ""), cookieOf(request)];
  return secrets.some((secret) => isSameSecret(secret, token)) ? undefined : tokenRequired;
}

/** Keeps the token in the browser, and out of its address bar and history. */
function pageFor(request: HttpRequest, token: string): Answer {
  const cookie = `${cookieName(request)}=${token}; Path=/; HttpOnly; SameSite=Strict`;
  return { kind: "answer", status: 303, headers: { Location: "/", "Set-Cookie": cookie }, body: "" };
}

/** The cookie that a browser gets for the token in the address of the page; it shares cookies between ports. */
function cookieName({ host }: HttpRequest): string {
  return `sandbox_token_${/:(\d+)$/.exec(host)?.[1] ?? ""}`;
}

function cookieOf(request: HttpRequest): string {
  const cookies = request.cookie.split(/; */).map((pair) => pair.split("="));
  return cookies.find(([name]) => name === cookieName(request))?.[1] ?? "";
}

/** What a browser says of the page that a request is from; each is empty where a program says nothing. */
interface Origin {
  readonly host: string;
  readonly origin: string;
  readonly site: string;
}

/**
 * Why a request may come from a web page of another site, if it may. Such pages could read a server of ours (DNS rebinding)
 * or change it (cross-site forms). Programs other than browsers send neither `Origin` nor `Sec-Fetch-Site`.
 */
function foreignness({ host, origin, site }: Origin, isLocal: boolean): string | undefined {
  if (isLocal && !isLoopback(host.replace(/:\d+$/, ""))) return "Host must be localhost, 127.0.0.1 or [::1]";
  // Another port of this machine is another site.
  if (origin !== "" && origin !== `http://${host}` && origin !== `https://${host}`) {
    return "Origin must be a page of this server";
  }
  if (site === "" || site === "same-origin" || site === "none") return undefined;
  return "Sec-Fetch-Site must be same-origin or none: pages of other sites may not use this server";
}

/** Compares two secrets in constant time. */
function isSameSecret(one: string, other: string): boolean {
  const [digest, otherDigest] = [one, other].map((text) => createHash("sha256").update(text).digest());
  return digest !== undefined && otherDigest !== undefined && timingSafeEqual(digest, otherDigest);
}
