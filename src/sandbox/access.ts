import { foreignness, isSameSecret } from "../server.ts";
import type { HttpRequest } from "./http-request.ts";
import { type Answer, json, refusal } from "./reply.ts";

const tokenRequired = refusal(
  401,
  "TOKEN_REQUIRED",
  "Open the address that the sandbox printed, or send its token as Bearer token",
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
  const given = [request.authorization.replace(/^Bearer /i, ""), cookieOf(request)];
  return given.some((each) => isSameSecret(each, token)) ? undefined : tokenRequired;
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
