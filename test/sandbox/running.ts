import { once } from "node:events";
import { connect } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished } from "vitest";
import { type Sandbox, type SandboxOptions, startSandbox } from "../../src/sandbox/server.ts";

export const testKey = "Bearer sk_test_sandbox";
export const liveKey = "Bearer sk_live_sandbox";
export const accountLogin = `Basic ${Buffer.from("sandbox@example.com:sandbox-pass-4010").toString("base64")}`;

export const hello = { to: "+254712345678", message: "Hello" };

/** A sandbox for one test, with a stopped clock and counted ids; closed at the end of the test. */
export async function runSandbox(options: Partial<SandboxOptions> = {}): Promise<Sandbox> {
  let ids = 0;
  const sandbox = await startSandbox({
    port: 0,
    rate: 100,
    credits: 100,
    now: () => Date.UTC(2030, 0, 1),
    newId: () => `message-${++ids}`,
    random: Math.random,
    ...options,
  });
  onTestFinished(() => sandbox.close());
  return sandbox;
}

/** Posts these fields, or this body unchanged, to the send path. */
export function post(
  { url }: Pick<Sandbox, "url">,
  body: object | string | Uint8Array,
  headers: Readonly<Record<string, string>> = {},
): Promise<Response> {
  return fetch(`${url}/api/v1/sms/send`, {
    method: "POST",
    headers: { authorization: testKey, "content-type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
}

export async function read(answer: Promise<Response>): Promise<readonly [number, unknown]> {
  const response = await answer;
  return [response.status, await response.json()];
}

export function ask(sandbox: Sandbox, what: string): Promise<readonly [number, unknown]> {
  return read(fetch(`${sandbox.url}/_sandbox/${what}`));
}

/** Sends with that Authorization header; returns the status and the error code, if any. */
export async function sendAs(sandbox: Sandbox, authorization: string, fields: object = hello): Promise<string> {
  const [status, body] = await read(post(sandbox, fields, { authorization }));
  const { errorCode } = body as { errorCode?: string };
  return errorCode === undefined ? String(status) : `${status} ${errorCode}`;
}

/** Writes these bytes on a new connection and returns all bytes that come back until it ends. */
export async function exchange(sandbox: Sandbox, bytes: string): Promise<string> {
  const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
  await once(socket, "connect");
  socket.write(bytes);
  return text(socket);
}

export function requestBytes(line: string, headers: readonly string[], body: string): string {
  const fixed = ["Host: localhost", "Connection: close", `Content-Length: ${Buffer.byteLength(body)}`];
  return [`${line} HTTP/1.1`, ...fixed, ...headers, "", body].join("\r\n");
}
