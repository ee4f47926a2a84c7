import { usageError } from "../errors.ts";
import { type Host, trustsAnyCertificate } from "../host.ts";
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
  // It would be recorded with each run.
  if (/sk_(test|live)_/.test(text)) throw invalid(source, "it has an API key in it");
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

/** Whether both are one service: the same origin and base path. */
export function isSameAddress(one: Address, other: Address): boolean {
  return one.origin === other.origin && one.basePath === other.basePath;
}

/**
 * Refuses to send a live key or a password to another machine over plain http (a usage error `INSECURE_BASE_URL`), or while
 * certificate checks are off (`UNCHECKED_CERTIFICATE`).
 */
export function requireSafeFor(
  credentials: Credentials,
  { origin, isLoopback: staysHere }: Address,
  environment: Host["environment"],
): void {
  if (staysHere || (credentials.kind === "key" && credentials.key.mode === "test")) return;
  const what = credentials.kind === "key" ? "a live key" : "a password";
  if (!origin.startsWith("https:")) {
    throw usageError(
      "INSECURE_BASE_URL",
      `${what} is only sent over https, not to ${origin}`,
      "use the service's https address",
    );
  }
  if (!trustsAnyCertificate(environment)) return;
  throw usageError(
    "UNCHECKED_CERTIFICATE",
    `${what} is not sent to ${origin} while NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off`,
    "unset it; NODE_EXTRA_CA_CERTS names a file with the certificates of your own authority",
  );
}

/** Returns a warning if certificate checks are off for this address. */
export function certificateWarning({ origin }: Address, environment: Host["environment"]): string | undefined {
  if (!origin.startsWith("https:") || !trustsAnyCertificate(environment)) return undefined;
  return `NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off: anyone on the way to ${origin} can read the key and the messages`;
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
