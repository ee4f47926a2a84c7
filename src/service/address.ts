import { keyLike } from "../words/key-like.ts";
import { usageError } from "../errors.ts";
import { type Host, isLoopback, trustsAnyCertificate } from "../host.ts";
import type { Credentials } from "./credentials.ts";

export interface Address {
  readonly origin: string;
  readonly basePath: string;
  /** Only a text that ends in a path of the service names one. */
  readonly path?: string | undefined;
  readonly isLoopback: boolean;
}

export function baseUrlOf({ origin, basePath }: Pick<Address, "origin" | "basePath">): string {
  return origin + basePath;
}

/** The base URL with the path that it names. */
export function addressText(address: Address): string {
  return baseUrlOf(address) + (address.path ?? "");
}

/** Source: docs/internals/service-interface.md, 4.1. */
export const sendPath = "/api/v1/sms/send";

const shortPath = "/v1/sms/send";

const partOfPath = /(\/api(\/v1(\/.*)?)?|\/v1(\/sms(\/.*)?)?)$/;

export function otherPath(path: string): string {
  return path === sendPath ? shortPath : sendPath;
}

/** Throws `INVALID_BASE_URL`, which quotes at most a host: the text may have a secret. */
export function readAddress(text: string, source: string): Address {
  const invalid = (reason: string, hint = "write it as https://HOST or https://HOST/PATH") =>
    usageError("INVALID_BASE_URL", `the base URL from ${source} is invalid: ${reason}`, hint);
  // Each run would record the key.
  if (keyLike.test(text)) throw invalid("it has an API key in it", "give the key separately, in SMS_API_KEY");
  if (/^["'`\u2018-\u201F]|["'`\u2018-\u201F]$/.test(text))
    throw invalid("it has quotes around it", "leave the quotes out");
  if (/\s/.test(text)) throw invalid("it has white space in it", "remove the white space");
  if (!text.includes("://")) {
    const scheme = schemeOf(text.replace(partOfPath, ""));
    if (scheme === undefined) throw invalid("it has no https:// in front");
    return readAddress(`${scheme}://${text}`, source);
  }
  if (!URL.canParse(text)) throw invalid("it is not a URL");
  const url = new URL(text);
  if (url.protocol !== "https:" && url.protocol !== "http:") throw invalid("it is not http or https");
  if (url.username !== "" || url.password !== "") throw invalid("it has a user name or password");
  if (/[?#]/.test(text)) throw invalid("it has a query or fragment");
  const wholePath = url.pathname.replace(/\/$/, "");
  const bare = text.replace(/\/$/, "");
  const bareOrigin = bare.split("/", 3).join("/").toLowerCase();
  const usualPort = url.protocol === "https:" ? ":443" : ":80";
  const isOrigin = bareOrigin === url.origin || bareOrigin === url.origin + usualPort;
  if (!isOrigin || bare.slice(bareOrigin.length) !== wholePath)
    throw invalid("it has a character or a form that a URL parser rewrites");
  const path = [sendPath, shortPath].find((end) => wholePath.endsWith(end));
  const basePath = path === undefined ? wholePath : wholePath.slice(0, -path.length);
  const base = url.origin + basePath.replace(partOfPath, "");
  if (base !== url.origin + basePath)
    throw invalid(`sms adds the path ${sendPath} itself`, `write it as ${base}, or as ${base}${shortPath}`);
  return { origin: url.origin, basePath, path, isLoopback: isLoopback(url.hostname) };
}

/** If the text may be a secret, this is undefined. */
function schemeOf(host: string): "http" | "https" | undefined {
  if (/^(localhost|127(\.\d+){3})(:\d+)?\/?$/.test(host)) return "http";
  return /^(([a-z0-9-]+\.)+[a-z]{2,}|\d+(\.\d+){3})(:\d+)?\/?$/.test(host) ? "https" : undefined;
}

export function isSameAddress(address: Address, other: Address): boolean {
  return baseUrlOf(address) === baseUrlOf(other);
}

/** Throws for a live key or a password that would go to another machine over http, or while certificate checks are off. */
export function requireSafeFor(
  credentials: Credentials,
  { origin, isLoopback: staysHere }: Address,
  environment: Host["environment"],
): void {
  if (staysHere || (credentials.kind === "key" && credentials.key.mode === "test")) return;
  const what = credentials.kind === "key" ? "a live key" : "a password";
  if (!origin.startsWith("https:")) {
    const hint = "use the service's https address";
    throw usageError("INSECURE_BASE_URL", `${what} is only sent over https, not to ${origin}`, hint);
  }
  if (!trustsAnyCertificate(environment)) return;
  throw usageError(
    "UNCHECKED_CERTIFICATE",
    `${what} is not sent to ${origin} while NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off`,
    "unset it; NODE_EXTRA_CA_CERTS names a file with the certificates of your own authority",
  );
}

export function certificateWarning({ origin }: Address, environment: Host["environment"]): string | undefined {
  if (!origin.startsWith("https:") || !trustsAnyCertificate(environment)) return undefined;
  return `NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off: anyone on the way to ${origin} can read the key and the messages`;
}
