import { type IncomingMessage, request } from "node:http";
import type { Address } from "../service/address.ts";
import { interruptionError } from "../errors.ts";
import { lookUp } from "../service/connection.ts";
import { serverName } from "../sandbox/access.ts";

/** A send waits for this answer, which comes at once on the same machine. */
const healthTimeoutMs = 1_000;

/** A tunnel to the real service does not answer as a sandbox. Throws an interruption at `stop`. */
export async function answersAsSandbox(
  { origin, basePath, isLoopback }: Address,
  stop?: AbortSignal,
): Promise<boolean> {
  if (!isLoopback || basePath !== "" || !origin.startsWith("http:")) return false;
  try {
    const timeout = AbortSignal.timeout(healthTimeoutMs);
    const signal = stop === undefined ? timeout : AbortSignal.any([stop, timeout]);
    const answer = await askSandbox(new URL("/healthz", origin), "HEAD", signal);
    answer.destroy();
    return answer.headers["server"] === serverName;
  } catch {
    if (stop?.aborted) throw interruptionError(stop, "unsent");
    return false;
  }
}

export function askSandbox(
  url: URL,
  method: "GET" | "HEAD",
  signal: AbortSignal,
  token?: string,
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const outgoing = request(url, { method, signal, agent: false, lookup: lookUp }, resolve).on("error", reject);
    // NODE_DEBUG prints the options, so the token is not among them.
    if (token !== undefined) outgoing.setHeader("authorization", `Bearer ${token}`);
    outgoing.end();
  });
}
