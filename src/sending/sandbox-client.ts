import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Address } from "../service/address.ts";
import { isObject, parseJson } from "../json.ts";
import { interruption, invalidOption, SmsError } from "../errors.ts";
import { lookUp } from "../service/connection.ts";
import { serverName } from "../sandbox/access.ts";
import type { SandboxMessage } from "../sandbox/accepted.ts";

export const tokenVariable = "SMS_SANDBOX_TOKEN";

const answerTimeoutMs = 10_000;

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
    const answer = await ask(new URL("/healthz", origin), "HEAD", signal);
    answer.destroy();
    return answer.headers["server"] === serverName;
  } catch {
    if (stop?.aborted) throw interruption(stop, "unsent");
    return false;
  }
}

/** Throws `UNREACHABLE`, `NOT_THE_SERVICE`, `UNAUTHORIZED`, or `INVALID_OPTION` if the sandbox refuses `to`. */
export async function readMessages(
  { origin }: Address,
  to: string | undefined,
  token: string | undefined,
): Promise<readonly SandboxMessage[]> {
  const query = to === undefined ? "" : `?to=${encodeURIComponent(to)}`;
  const { status, body } = await fetchJson(new URL(`/_sandbox/messages${query}`, origin), token);
  if (status === 200 && isMessages(body)) return body;
  if (status === 400 && isObject(body)) {
    throw invalidOption(`--${String(body["error"])}`, "give --to as +2547XXXXXXXX");
  }
  if (isObject(body) && body["errorCode"] === "TOKEN_REQUIRED") {
    throw new SmsError("unauthorized", `the sandbox at ${origin} gives its messages only with its token`, {
      errorCode: "UNAUTHORIZED",
      httpStatus: status,
      hint: `set ${tokenVariable} to the token that it printed`,
    });
  }
  throw new SmsError("not-the-service", `the server at ${origin} is not a sandbox: HTTP ${status}`, {
    errorCode: "NOT_THE_SERVICE",
    httpStatus: status,
    hint: "name the sandbox with --url",
  });
}

async function fetchJson(url: URL, token: string | undefined) {
  try {
    const answer = await ask(url, "GET", AbortSignal.timeout(answerTimeoutMs), token);
    return { status: answer.statusCode ?? 0, body: parseJson(await text(answer)) };
  } catch (error) {
    throw new SmsError("unreachable", `no sandbox answers at ${url.origin}`, {
      errorCode: "UNREACHABLE",
      hint: "start one with `sms sandbox`, or name it with --url",
      cause: error,
    });
  }
}

function ask(url: URL, method: "GET" | "HEAD", signal: AbortSignal, token?: string): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { method, signal, agent: false, lookup: lookUp }, resolve).on("error", reject);
    // NODE_DEBUG prints the options, so the token is not among them.
    if (token !== undefined) sent.setHeader("authorization", `Bearer ${token}`);
    sent.end();
  });
}

function isMessages(value: unknown): value is readonly SandboxMessage[] {
  return Array.isArray(value) && value.every((item: unknown) => isObject(item) && "messageId" in item && "to" in item);
}
