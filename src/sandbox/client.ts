import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import type { Address } from "../core/address.ts";
import { isObject, parseJson } from "../core/json.ts";
import { SmsError, usageError } from "../errors.ts";
import type { SandboxMessage } from "./account.ts";

/** Which messages are wanted, under the names of the options. */
export interface MessageQuery {
  readonly to?: string;
  readonly sender?: string;
  readonly since?: string;
}

/** A sandbox answers at once, since it is on this machine. Milliseconds. */
const answerTimeout = 10_000;

/**
 * Returns the messages that a sandbox received, oldest first. Throws an `SmsError`: `UNREACHABLE` if nothing answers,
 * `NOT_THE_SERVICE` if something else answers, `UNAUTHORIZED` if it serves other machines, and a usage error if the sandbox
 * refuses the query.
 */
export async function readMessages({ origin }: Address, query: MessageQuery): Promise<readonly SandboxMessage[]> {
  const search = new URLSearchParams({ ...query }).toString();
  const { status, body } = await fetchJson(new URL(`/_sandbox/messages?${search}`, origin));
  if (status === 200 && isMessages(body)) return body;
  if (status === 400 && isObject(body)) {
    const error = String(body["error"]);
    throw usageError(
      "INVALID_OPTION",
      `--${error}`,
      error.startsWith("since")
        ? "give a time, as 2026-11-30T08:00:00Z, or the id of a message that `sms sandbox messages --json` prints"
        : "write it as +254712345678",
    );
  }
  if (isObject(body) && body["errorCode"] === "TOKEN_REQUIRED") {
    throw new SmsError("unauthorized", `the sandbox at ${origin} gives its messages only with its token`, {
      errorCode: "UNAUTHORIZED",
      httpStatus: status,
      hint: `run \`curl -H "Authorization: Bearer TOKEN" ${origin}/_sandbox/messages\``,
    });
  }
  throw new SmsError("not-the-service", `the server at ${origin} is not a sandbox: HTTP ${status}`, {
    errorCode: "NOT_THE_SERVICE",
    httpStatus: status,
    hint: "name the sandbox with --url",
  });
}

async function fetchJson(url: URL): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { signal: AbortSignal.timeout(answerTimeout), agent: false }, resolve).on("error", reject);
    });
    return { status: answer.statusCode ?? 0, body: parseJson(await text(answer)) };
  } catch (error) {
    throw new SmsError("unreachable", `no sandbox answers at ${url.origin}`, {
      errorCode: "UNREACHABLE",
      hint: "start one with `sms sandbox`, or name it with --url",
      cause: error,
    });
  }
}

function isMessages(value: unknown): value is readonly SandboxMessage[] {
  return Array.isArray(value) && value.every((item: unknown) => isObject(item) && "messageId" in item && "to" in item);
}
