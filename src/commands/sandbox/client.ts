import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type Address, readAddress } from "../../core/address.ts";
import { SmsError, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import type { SandboxMessage } from "../../sandbox/account.ts";

/** What of the messages is asked for, in the words of the command line. */
export interface MessageQuery {
  readonly to?: string;
  readonly sender?: string;
  readonly since?: string;
}

/** A sandbox is on this machine, and answers at once. Milliseconds. */
const longestAnswer = 10_000;

/**
 * Where the sandbox is: `--url`, else the base URL of the environment where that is this machine, else port 4010. Throws a
 * usage error where `--url` is another machine, which is no place to look for a sandbox.
 */
export function sandboxAddress(url: string | undefined, environment: Host["environment"]): Address {
  if (url !== undefined) {
    const address = readAddress(url, "--url");
    if (address.isLoopback && address.origin.startsWith("http:")) return address;
    throw usageError("INVALID_BASE_URL", "--url is not a sandbox's: it is not http on this machine");
  }
  const baseUrl = environment["SMS_BASE_URL"] ?? "";
  const address = baseUrl === "" ? undefined : readAddress(baseUrl, "SMS_BASE_URL");
  return address?.isLoopback ? address : readAddress("http://127.0.0.1:4010", "the default");
}

/**
 * What the sandbox took and this asks for, oldest first. Throws an `SmsError`: `UNREACHABLE` where there is nothing,
 * `NOT_THE_SERVICE` where there is something else, and a usage error for what it refuses to look for.
 */
export async function readMessages(
  { origin }: Address,
  query: MessageQuery,
): Promise<readonly SandboxMessage[]> {
  const search = new URLSearchParams({ ...query }).toString();
  const { status, body } = await fetchJson(new URL(`/_sandbox/messages?${search}`, origin));
  if (status === 200 && isMessages(body)) return body;
  if (status === 400 && typeof body === "object" && body !== null && "error" in body) {
    throw usageError(
      "INVALID_OPTION",
      `--${String(body.error)}`,
      "`sms sandbox messages --help` says what is understood",
    );
  }
  throw new SmsError("not-the-service", `what answers at ${origin} is not a sandbox: HTTP ${status}`, {
    errorCode: "NOT_THE_SERVICE",
    httpStatus: status,
    hint: "name the sandbox with --url",
  });
}

async function fetchJson(url: URL): Promise<{ readonly status: number; readonly body: unknown }> {
  try {
    const answer = await new Promise<IncomingMessage>((resolve, reject) => {
      get(url, { signal: AbortSignal.timeout(longestAnswer), agent: false }, resolve).on("error", reject);
    });
    return { status: answer.statusCode ?? 0, body: parse(await text(answer)) };
  } catch (error) {
    throw new SmsError("unreachable", `no sandbox answers at ${url.origin}`, {
      errorCode: "UNREACHABLE",
      hint: "start one with `sms sandbox`, or name it with --url",
      cause: error,
    });
  }
}

function parse(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function isMessages(value: unknown): value is readonly SandboxMessage[] {
  return (
    Array.isArray(value) &&
    value.every(
      (one: unknown) => typeof one === "object" && one !== null && "messageId" in one && "to" in one,
    )
  );
}
