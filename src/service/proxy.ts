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

export function hostAndPort({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port || (protocol === "https:" ? "443" : "80")}`;
}

export function authorizationOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString("base64")}`;
}
