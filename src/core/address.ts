import { usageError } from "../errors.ts";
import type { Credentials } from "./credentials.ts";

/** Where the service is. */
export interface Address {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The base path, without a slash at its end; empty where there is none. */
  readonly basePath: string;
  /** Whether what is sent there stays on this machine. */
  readonly isLoopback: boolean;
}

/** The path of the send operation under the base path, as the service's reference gives it. */
export const sendPath = "/api/v1/sms/send";

/**
 * Reads a base URL that must be what it looks like: http or https, a host, perhaps a port and a path, and nothing a
 * parser would drop, add or rewrite. Throws a usage error that does not quote it, since people paste secrets into URLs.
 */
export function readAddress(text: string, source: string): Address {
  const url = parseUrl(text);
  if (url === undefined) throw invalid(source, "it is not a URL");
  if (url.protocol !== "https:" && url.protocol !== "http:") throw invalid(source, "it is not http or https");
  if (url.username !== "" || url.password !== "") throw invalid(source, "it has a user or password in it");
  if (/[?#]/.test(text)) throw invalid(source, "it has a query or a fragment");
  const basePath = url.pathname.replace(/\/$/, "");
  const written = text.replace(/\/$/, "");
  const looks = /^https?:\/\/[^/]+/i.exec(written)?.[0].toLowerCase();
  const port = url.protocol === "https:" ? ":443" : ":80";
  if (looks === undefined || (looks !== url.origin && looks !== url.origin + port)) {
    throw invalid(source, "its host is not what it looks like");
  }
  if (written.slice(looks.length) !== basePath) throw invalid(source, "its path is not what it looks like");
  return { origin: url.origin, basePath, isLoopback: isLoopback(url.hostname) };
}

/** Refuses to send a live key or a password where somebody on the way could read it: a usage error, before any connection. */
export function requireSafeFor(credentials: Credentials, address: Address): void {
  const mayTravelOpenly = credentials.kind === "key" && credentials.key.mode === "test";
  if (mayTravelOpenly || address.isLoopback || address.origin.startsWith("https:")) return;
  throw usageError(
    "INSECURE_BASE_URL",
    `${credentials.kind === "key" ? "a live key" : "a password"} is only sent over https, and ${address.origin} is not`,
    "use the service's https address",
  );
}

function parseUrl(text: string): URL | undefined {
  return URL.canParse(text) ? new URL(text) : undefined;
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function invalid(source: string, reason: string): Error {
  return usageError(
    "INVALID_BASE_URL",
    `the base URL of ${source} cannot be used: ${reason}`,
    "give it as https://HOST",
  );
}
