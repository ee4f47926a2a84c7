import type { ClientRequest } from "node:http";
import { isIP, type LookupFunction } from "node:net";
import type { buildConnector } from "undici";
import { ProxyError } from "./proxy.ts";
import { authorizationOf } from "./proxy-choice.ts";

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
