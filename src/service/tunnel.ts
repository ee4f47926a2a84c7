import type { ClientRequest } from "node:http";
import { BlockList, isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { ProxyError } from "./exchange.ts";
import { usageError } from "../errors.ts";
import type { Host } from "../host.ts";

/** Plain http has a tunnel too: no answer of a proxy is taken for the service's. undici's agent never times out. */
export async function tunnelThrough(
  proxy: URL,
  connect: buildConnector.connector,
  timeoutMs: number,
  lookup?: LookupFunction,
): Promise<buildConnector.connector> {
  const { request } = await (proxy.protocol === "https:" ? import("node:https") : import("node:http"));
  return (options, callback) => {
    const port = options.port || (options.protocol === "https:" ? "443" : "80");
    const target = `${options.hostname}:${port}`;
    const handshake: ClientRequest = request({
      ...addressOf(proxy),
      method: "CONNECT",
      path: target,
      headers: { host: target },
      agent: false,
      timeout: timeoutMs,
      lookup,
    });
    // NODE_DEBUG prints the options, so the secret is not one.
    const authorization = authorizationOf(proxy);
    if (authorization !== undefined) handshake.setHeader("proxy-authorization", authorization);
    handshake.once("connect", ({ statusCode }, socket) => {
      if (statusCode === undefined || statusCode < 200 || statusCode > 299) {
        socket.destroy();
        callback(new ProxyError(proxy, refusal(statusCode, authorization !== undefined)), null);
      } else if (options.protocol === "https:") connect({ ...options, httpSocket: socket }, callback);
      else callback(null, socket);
    });
    handshake.once("timeout", () => handshake.destroy(new ProxyError(proxy, { code: "PROXY_SILENT", message: "" })));
    handshake.once("error", (error: NodeJS.ErrnoException) =>
      callback(error instanceof ProxyError ? error : new ProxyError(proxy, error), null),
    );
    handshake.end();
  };
}

function refusal(status: number | undefined, hasPassword: boolean) {
  if (status === 407) return { code: hasPassword ? "PROXY_PASSWORD" : "PROXY_UNAUTHORIZED", message: "" };
  const isFailure = status !== undefined && status >= 500;
  const reason = isFailure ? "could not reach the service" : "refused to connect to the service";
  return { code: "PROXY_REFUSED", message: `${reason}: HTTP ${status}` };
}

/** Node would check the proxy's certificate against the Host header. */
function addressOf({ hostname, port }: URL) {
  const host = hostname.replace(/^\[|\]$/g, "");
  return { host, port, servername: isIP(host) === 0 ? host : "" };
}

/** Throws `INVALID_PROXY` for any but an HTTP proxy. NO_PROXY may list the host. */
export function proxyFor(origin: string, environment: Host["environment"]): URL | undefined {
  const { protocol, hostname, port } = new URL(origin);
  const names = [protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY", "ALL_PROXY"];
  const name = names.find((each) => valueOf(each, environment) !== "");
  if (name === undefined) return undefined;
  const except = valueOf("no_proxy", environment);
  if (isExcepted(hostname, port || (protocol === "https:" ? "443" : "80"), except)) return undefined;
  const value = valueOf(name, environment);
  const url = value.includes("://") ? value : `http://${value}`;
  if (URL.canParse(url) && /^https?:/i.test(url) && isDecodable(url)) return new URL(url);
  const what = /^socks/i.test(url)
    ? "names a SOCKS proxy, and sms uses HTTP proxies only"
    : "is not the address of an HTTP proxy";
  throw usageError("INVALID_PROXY", `${name} ${what}`, "give it as http://HOST:PORT, or list the host in NO_PROXY");
}

/** As in curl, the name in small letters counts first. */
function valueOf(name: string, environment: Host["environment"]): string {
  return environment[name.toLowerCase()] || environment[name.toUpperCase()] || "";
}

function isDecodable(url: string): boolean {
  try {
    authorizationOf(new URL(url));
    return true;
  } catch {
    return false;
  }
}

/** NO_PROXY has names (with their subdomains, with or without a port), networks such as 10.0.0.0/8, or *. */
function isExcepted(hostname: string, port: string, list: string): boolean {
  return list.split(/[\s,]+/).some((entry) => {
    if (entry === "*" || `[${entry}]` === hostname) return true;
    if (entry.includes("/")) return isInNetwork(hostname.replace(/^\[|\]$/g, ""), entry);
    const [, host = "", onlyPort = port] = /^\*?\.?(\[[^\]]*\]|[^:]*)(?::(\d+))?$/.exec(entry.toLowerCase()) ?? [];
    return host !== "" && onlyPort === port && (hostname === host || hostname.endsWith(`.${host}`));
  });
}

/** A name is in no network, since nothing looks names up here. */
function isInNetwork(address: string, network: string): boolean {
  const [, base = "", bits = ""] = /^(.*)\/(\d{1,3})$/.exec(network) ?? [];
  const family = isIP(address);
  if (family === 0 || isIP(base) !== family || Number(bits) > (family === 4 ? 32 : 128)) return false;
  const name = family === 4 ? "ipv4" : "ipv6";
  const addresses = new BlockList();
  addresses.addSubnet(base, Number(bits), name);
  return addresses.check(address, name);
}

function authorizationOf({ username, password }: URL): string | undefined {
  if (username === "" && password === "") return undefined;
  const user = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  return `Basic ${Buffer.from(user).toString("base64")}`;
}
