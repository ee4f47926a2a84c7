import { get, type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { type Address, readAddress } from "../../core/address.ts";
import { isObject, parseJson } from "../../core/json.ts";
import { SmsError, usageError } from "../../errors.ts";
import type { Host } from "../../host.ts";
import { countText, plural } from "../../output/text.ts";
import type { SandboxMessage } from "../../sandbox/account.ts";
import type { Context } from "../shared/context.ts";

/** Which messages are wanted, under the names of the options. */
interface MessageQuery {
  readonly to?: string;
  readonly sender?: string;
  readonly since?: string;
}

/** A sandbox answers at once, since it is on this machine. Milliseconds. */
const answerTimeout = 10_000;

/** How often to ask a sandbox whether enough messages came. Milliseconds. */
const pollInterval = 100;

/** Returns the sandbox's address: `--url`, a local SMS_BASE_URL or port 4010. Throws if `--url` is not local. */
export function sandboxAddress(url: string | undefined, environment: Host["environment"]): Address {
  if (url !== undefined) {
    const address = readAddress(url, "--url");
    if (address.isLoopback && address.origin.startsWith("http:")) return address;
    throw usageError("INVALID_BASE_URL", "--url is not a sandbox: it is not http on this machine");
  }
  const baseUrl = environment["SMS_BASE_URL"] ?? "";
  const address = baseUrl === "" ? undefined : readAddress(baseUrl, "SMS_BASE_URL");
  return address?.isLoopback ? address : readAddress("http://127.0.0.1:4010", "the default");
}

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

/** Waits until there are `least` messages, and returns them. Throws `NOT_ENOUGH_MESSAGES` after `timeout` seconds. */
export async function waitForMessages(
  address: Address,
  query: MessageQuery,
  least: number,
  timeout: number,
  { host: { now, sleep }, presenter }: Pick<Context, "host" | "presenter">,
): Promise<readonly SandboxMessage[]> {
  const end = now() + timeout * 1000;
  let known: readonly SandboxMessage[] = [];
  const wait = () => {
    const seconds = Math.max(0, Math.ceil((end - now()) / 1000));
    return `Waiting for messages: ${countText(known.length)} of ${countText(least)}, ${seconds} s left`;
  };
  return presenter.waitFor(wait, async () => {
    for (;;) {
      const isLast = now() >= end;
      known = await withNew(known, address, query).catch((error: unknown) => {
        // It may be about to start.
        if (!isLast && error instanceof SmsError && error.kind === "unreachable") return [];
        throw error;
      });
      if (known.length >= least) return known;
      if (isLast) throw notEnough(known.length, least, timeout);
      await sleep(Math.min(pollInterval, end - now()));
    }
  });
}

/** Returns the known messages and those after them, or all if the sandbox does not have the known ones any more. */
async function withNew(known: readonly SandboxMessage[], address: Address, query: MessageQuery) {
  const last = known.at(-1);
  if (last === undefined) return readMessages(address, query);
  try {
    return [...known, ...(await readMessages(address, { ...query, since: last.messageId }))];
  } catch (error) {
    if (error instanceof SmsError && error.errorCode === "INVALID_OPTION") return readMessages(address, query);
    throw error;
  }
}

function notEnough(came: number, least: number, timeout: number): SmsError {
  const within = timeout === 1 ? "1 second" : `${timeout} seconds`;
  return new SmsError("incomplete", `${came} of ${plural(least, "message")} came within ${within}`, {
    errorCode: "NOT_ENOUGH_MESSAGES",
    hint: "`sms sandbox messages` lists what came; `sms sandbox --log` shows each request",
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
