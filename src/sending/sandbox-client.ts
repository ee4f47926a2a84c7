import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { Address } from "../service/address.ts";
import { isObject, parseJson } from "../json.ts";
import { interruption, invalidOption, SmsError } from "../errors.ts";
import { lookUp } from "../service/connection.ts";
import { serverName } from "../sandbox/access.ts";
import type { SandboxMessage } from "../sandbox/accepted.ts";

interface MessageQuery {
  readonly to?: string;
}

export const tokenVariable = "SMS_SANDBOX_TOKEN";

/** A sandbox answers at once, since it is on this machine. Milliseconds. */
const answerTimeout = 10_000;

/** How long a send waits to hear what listens at an address of this machine. Milliseconds. */
const healthTimeout = 1_000;

/**
 * Whether a sandbox of this machine listens at this base URL: whether whatever listens there says so. A tunnel to the real
 * service does not. Throws an interruption at `stop`.
 */
export async function answersAsSandbox(
  { origin, basePath, isLoopback }: Address,
  stop?: AbortSignal,
): Promise<boolean> {
  if (!isLoopback || basePath !== "" || !origin.startsWith("http:")) return false;
  try {
    const timeout = AbortSignal.timeout(healthTimeout);
    const signal = stop === undefined ? timeout : AbortSignal.any([stop, timeout]);
    const answer = await ask(new URL("/healthz", origin), { method: "HEAD", signal });
    answer.destroy();
    return answer.headers["server"] === serverName;
  } catch {
    if (stop?.aborted) throw interruption(stop, "unsent");
    return false;
  }
}

/**
 * Returns the messages that a sandbox received, oldest first. Throws an `SmsError`: `UNREACHABLE` if nothing answers,
 * `NOT_THE_SERVICE` if something else answers, `UNAUTHORIZED` if it needs another token, and a usage error if the sandbox
 * refuses the query.
 */
export async function readMessages(
  { origin }: Address,
  query: MessageQuery,
  token: string | undefined,
): Promise<readonly SandboxMessage[]> {
  const search = new URLSearchParams({ ...query }).toString();
  const { status, body } = await fetchJson(new URL(`/_sandbox/messages?${search}`, origin), token);
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

async function fetchJson(
  url: URL,
  token: string | undefined,
): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    const answer = await ask(url, { method: "GET", signal: AbortSignal.timeout(answerTimeout), token });
    return { status: answer.statusCode ?? 0, body: parseJson(await text(answer)) };
  } catch (error) {
    throw new SmsError("unreachable", `no sandbox answers at ${url.origin}`, {
      errorCode: "UNREACHABLE",
      hint: "start one with `sms sandbox`, or name it with --url",
      cause: error,
    });
  }
}

function ask(
  url: URL,
  {
    method,
    signal,
    token,
  }: { readonly method: "GET" | "HEAD"; readonly signal: AbortSignal; readonly token?: string | undefined },
): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { method, signal, agent: false, lookup: lookUp }, resolve).on("error", reject);
    // Not among the options, which NODE_DEBUG prints.
    if (token !== undefined) asked.setHeader("authorization", `Bearer ${token}`);
    asked.end();
  });
}

function isMessages(value: unknown): value is readonly SandboxMessage[] {
  return Array.isArray(value) && value.every((item: unknown) => isObject(item) && "messageId" in item && "to" in item);
}
