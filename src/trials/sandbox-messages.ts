import { text } from "node:stream/consumers";
import { invalidOption, SmsError, usageError } from "../errors.ts";
import { isObject, parseJson } from "../json.ts";
import { variable } from "../profiles/environment.ts";
import type { StoreHost } from "../profiles/folders.ts";
import { profileInUse } from "../profiles/resolve.ts";
import type { SandboxMessage } from "../sandbox/reply.ts";
import { askSandbox } from "../sending/sandbox-client.ts";
import { type Address, readAddress } from "../service/address.ts";
import type { Context } from "../terminal/context.ts";
import { countText, plural } from "../words/count.ts";

export const tokenVariable = "SMS_SANDBOX_TOKEN";

const answerTimeoutMs = 10_000;

/** Throws a usage error if `--url`, or the profile that somebody named, is not on this machine. */
export function sandboxAddress(
  { url, profile: name }: Pick<MessagesQuery, "url" | "profile">,
  host: StoreHost,
): Address {
  if (url !== undefined) {
    const address = readAddress(url, "--url");
    if (address.isLoopback && address.origin.startsWith("http:")) return address;
    throw usageError("INVALID_BASE_URL", "--url is not a sandbox: it is not http on this machine");
  }
  const ofEnvironment = variable(host.environment, "SMS_BASE_URL");
  if (ofEnvironment !== undefined && readAddress(ofEnvironment, "SMS_BASE_URL").isLoopback)
    return readAddress(ofEnvironment, "SMS_BASE_URL");
  const { baseUrl } = profileInUse(host, name);
  const address = baseUrl === undefined ? undefined : readAddress(baseUrl, "the profile");
  if (address?.isLoopback) return address;
  if (name === undefined) return readAddress("http://127.0.0.1:4010", "the default");
  throw usageError("INVALID_BASE_URL", `profile ${JSON.stringify(name)} has no sandbox: it is not on this machine`);
}

interface MessagesQuery {
  readonly url?: string;
  readonly profile?: string;
  readonly to?: string;
  readonly waitFor?: number;
  readonly timeout?: number;
}

const pollEveryMs = 100;

/**
 * Returns the messages to `to` that a sandbox accepted, once there are `waitFor` of them. Throws `NOT_ENOUGH_MESSAGES` if they do
 * not come within `timeout` seconds, `UNREACHABLE`, `NOT_THE_SERVICE`, `UNAUTHORIZED`, or `INVALID_OPTION` if the sandbox
 * refuses `to`.
 */
export async function awaitMessages(
  { url, profile, to, waitFor = 0, timeout = 10 }: MessagesQuery,
  { host, presenter }: Context,
): Promise<readonly SandboxMessage[]> {
  const { environment, now, sleep } = host;
  const { origin } = sandboxAddress({ url, profile }, host);
  const token = environment[tokenVariable] || undefined;
  if (waitFor === 0) return readMessages(origin, to, token);
  const end = now() + timeout * 1000;
  let messages: readonly SandboxMessage[] = [];
  const wait = () => {
    const seconds = Math.max(0, Math.ceil((end - now()) / 1000));
    return `Waiting for messages: ${countText(messages.length)} of ${countText(waitFor)}, ${seconds} s left`;
  };
  return presenter.waitFor(wait, async () => {
    for (;;) {
      const isLast = now() >= end;
      messages = await readMessages(origin, to, token).catch((error: unknown) => {
        // The sandbox may be about to start.
        if (!isLast && error instanceof SmsError && error.kind === "unreachable") return [];
        throw error;
      });
      if (messages.length >= waitFor) return messages;
      if (isLast) throw notEnough(messages.length, waitFor, timeout);
      await sleep(Math.min(pollEveryMs, end - now()));
    }
  });
}

function notEnough(count: number, least: number, timeout: number): SmsError {
  const within = timeout === 1 ? "1 second" : `${timeout} seconds`;
  const message = `${count} of ${plural(least, "message")} came within ${within}`;
  return new SmsError("incomplete", "NOT_ENOUGH_MESSAGES", message, "`sms sandbox messages` lists what came");
}

async function readMessages(origin: string, to: string | undefined, token: string | undefined) {
  const query = to === undefined ? "" : `?to=${encodeURIComponent(to)}`;
  const { status, body } = await fetchJson(new URL(`/_sandbox/messages${query}`, origin), token);
  if (status === 200 && isMessages(body)) return body;
  if (status === 400 && isObject(body)) throw invalidOption(`--${String(body["error"])}`, "give --to as +2547XXXXXXXX");
  if (isObject(body) && body["errorCode"] === "TOKEN_REQUIRED") {
    const message = `the sandbox at ${origin} gives its messages only with its token`;
    const hint = `set ${tokenVariable} to the token that it printed`;
    throw new SmsError("unauthorized", "UNAUTHORIZED", message, { hint, httpStatus: status });
  }
  const message = `the server at ${origin} is not a sandbox: HTTP ${status}`;
  const hint = "name the sandbox with --url";
  throw new SmsError("not-the-service", "NOT_THE_SERVICE", message, { hint, httpStatus: status });
}

async function fetchJson(url: URL, token: string | undefined) {
  try {
    const answer = await askSandbox(url, "GET", AbortSignal.timeout(answerTimeoutMs), token);
    return { status: answer.statusCode ?? 0, body: parseJson(await text(answer)) };
  } catch (error) {
    const hint = "start one with `sms sandbox`, or name it with --url";
    throw new SmsError("unreachable", "UNREACHABLE", `no sandbox answers at ${url.origin}`, { hint, cause: error });
  }
}

function isMessages(value: unknown): value is readonly SandboxMessage[] {
  return Array.isArray(value) && value.every((item: unknown) => isObject(item) && "messageId" in item && "to" in item);
}
