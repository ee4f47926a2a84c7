import { usageError } from "../errors.ts";
import type { Credentials } from "./credentials.ts";

/** A checked base URL. */
export interface Address {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The path without a trailing slash; may be empty. */
  readonly basePath: string;
  readonly isLoopback: boolean;
}

/** The path of the send operation (docs/service-interface.md, 4.1). */
export const sendPath = "/api/v1/sms/send";

/** Reads an http or https URL. Throws `INVALID_BASE_URL` and never quotes the text, which may hold a secret. */
export function readAddress(text: string, source: string): Address {
  if (!URL.canParse(text)) throw invalid(source, "not a URL");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw invalid(source, "not http or https");
  if (url.username !== "" || url.password !== "") throw invalid(source, "it has a user name or password");
  if (/[?#]/.test(text)) throw invalid(source, "it has a query or fragment");
  const basePath = url.pathname.replace(/\/$/, "");
  const written = text.replace(/\/$/, "");
  const writtenOrigin = /^https?:\/\/[^/]+/i.exec(written)?.[0].toLowerCase();
  const port = url.protocol === "https:" ? ":443" : ":80";
  if (writtenOrigin !== url.origin && writtenOrigin !== url.origin + port) {
    throw invalid(source, "its host has a character or a form that a URL parser rewrites");
  }
  if (written.slice(writtenOrigin.length) !== basePath) {
    throw invalid(source, "its path has a character or a form that a URL parser rewrites");
  }
  return { origin: url.origin, basePath, isLoopback: isLoopback(url.hostname) };
}

/** Throws a usage error `INSECURE_BASE_URL` if a live key or a password would be sent over plain http to another machine. */
export function requireSafeFor(credentials: Credentials, address: Address): void {
  const isTestKey = credentials.kind === "key" && credentials.key.mode === "test";
  if (isTestKey || address.isLoopback || address.origin.startsWith("https:")) return;
  throw usageError(
    "INSECURE_BASE_URL",
    `${credentials.kind === "key" ? "a live key" : "a password"} is only sent over https, not to ${address.origin}`,
    "use the service's https address",
  );
}

function isLoopback(hostname: string): boolean {
  return hostname === "localhost" || hostname === "[::1]" || /^127(\.\d+){3}$/.test(hostname);
}

function invalid(source: string, reason: string): Error {
  return usageError(
    "INVALID_BASE_URL",
    `the base URL from ${source} is invalid: ${reason}`,
    "write it as https://HOST or https://HOST/PATH",
  );
}
