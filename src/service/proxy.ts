import type { ClientRequest } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { usageError } from "../errors.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** Returns the proxy for an origin, unless NO_PROXY lists the host. Throws a usage error if it is not a URL. */
export function proxyFor(origin: string, environment: Environment): URL | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const name = protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = environment[name.toLowerCase()] || environment[name];
  const except = environment["no_proxy"] || environment["NO_PROXY"] || "";
  if (!value || isExcepted(hostname, port || (protocol === "https:" ? "443" : "80"), except)) return undefined;
  const url = value.includes("://") ? value : `http://${value}`;
  if (URL.canParse(url) && /^https?:/i.test(url) && isDecodable(url)) return new URL(url);
  throw usageError("INVALID_PROXY", `${name} is not the address of an HTTP proxy`, "give it as http://HOST:PORT");
}

function isDecodable(url: string): boolean {
  try {
    authorizationOf(new URL(url));
    return true;
  } catch {
    return false;
  }
}

/** Whether NO_PROXY lists a host: names separated by commas or spaces, with or without a port, each with its subdomains; or *. */
function isExcepted(hostname: string, port: string, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*" || `[${entry}]` === hostname) return true;
    const [, host = "", onlyPort = port] = /^\*?\.?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    return host !== "" && onlyPort === port && (hostname === host || hostname.endsWith(`.${host}`));
  });
}

/**
 * Makes a connector through a tunnel of `proxy` (CONNECT, RFC 9110 9.3.6), for plain http as well, so that an answer of the
 * proxy is never taken for one of the service. undici's proxy agent keeps reconnecting to a proxy that drops CONNECT, and
 * has no timeout for a proxy that stalls. `timeout` in milliseconds.
 */
export async function tunnelThrough(
  proxy: URL,
  {
    connect,
    timeout,
    lookup,
  }: {
    readonly connect: buildConnector.connector;
    readonly timeout: number;
    readonly lookup?: LookupFunction | undefined;
  },
): Promise<buildConnector.connector> {
  const { request } = await (proxy.protocol === "https:" ? import("node:https") : import("node:http"));
  return (options, callback) => {
    const port = options.port || (options.protocol === "https:" ? "443" : "80");
    const target = `${options.hostname}:${port}`;
    const asked: ClientRequest = request({
      ...addressOf(proxy),
      method: "CONNECT",
      path: target,
      headers: { host: target },
      agent: false,
      timeout,
      lookup,
    });
    // Not among the options, which NODE_DEBUG prints.
    const authorization = authorizationOf(proxy);
    if (authorization !== undefined) asked.setHeader("proxy-authorization", authorization);
    asked.once("connect", ({ statusCode }, socket) => {
      if (statusCode === undefined || statusCode < 200 || statusCode > 299) {
        socket.destroy();
        callback(new ProxyError(proxy, refusal(statusCode)), null);
      } else if (options.protocol === "https:") connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
    asked.once("timeout", () => asked.destroy(new ProxyError(proxy, { code: "PROXY_SILENT", message: "" })));
    asked.once("error", (error: NodeJS.ErrnoException) =>
      callback(error instanceof ProxyError ? error : new ProxyError(proxy, error), null),
    );
    asked.end();
  };
}

/** Why there is no tunnel, in the words and with the code of the system. */
export class ProxyError extends Error {
  readonly code: string;
  /** `the proxy at HOST:PORT`. */
  readonly peer: string;

  constructor(proxy: URL, cause: { readonly code?: string | undefined; readonly message: string }) {
    super(cause.message);
    this.code = cause.code ?? "";
    this.peer = `the proxy at ${hostAndPort(proxy)}`;
  }
}

function refusal(status: number | undefined) {
  const code = status === 407 ? "PROXY_UNAUTHORIZED" : "PROXY_REFUSED";
  return { code, message: `the proxy answered ${status} to CONNECT` };
}

export function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

/** Names the proxy for its certificate, since Node would check it against the Host header. */
function addressOf({ hostname, port }: URL) {
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port, servername: isIP(host) === 0 ? host : "" };
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString("base64")}`;
}
