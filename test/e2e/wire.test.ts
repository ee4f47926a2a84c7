import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { startScriptedProxy } from "../support/scripted-proxy.ts";
import { type ReadRequest, type Script, startScriptedServer } from "../support/scripted-server.ts";
import { accept, answer } from "../support/scripts.ts";
import { type Ended, runSms, type SmsOptions } from "../support/sms.ts";

const folder = mkdtempSync(join(tmpdir(), "sms-test-"));
afterAll(() => rmSync(folder, { recursive: true }));

const send = ["send", "--to", "+254712345678", "--message", "Hi"] as const;
const testKey = { SMS_API_KEY: "sk_test_abc" };

interface Seen {
  readonly ended: Ended;
  readonly requests: readonly ReadRequest[];
  readonly connections: number;
}

/** Runs the program against a server that takes every message, or does as its script says. */
async function run(
  args: readonly string[],
  { script = accept(), path = "", ...options }: SmsOptions & { script?: Script; path?: string } = {},
): Promise<Seen> {
  const server = await startScriptedServer({ onRequest: script });
  try {
    const env = { ...(options.env ?? testKey), SMS_BASE_URL: server.url + path };
    const ended = await runSms(args, { ...options, env });
    return { ended, requests: server.requests, connections: server.connections() };
  } finally {
    await server.close();
  }
}

/** The one body that went over the wire, as JSON. */
function bodyOf({ ended, requests }: Seen): unknown {
  expect([ended.code, ended.stderr, requests.length]).toEqual([0, "", 1]);
  return JSON.parse(requests[0]?.body ?? "");
}

describe.concurrent("the request of a send", () => {
  const plain = { to: "+254712345678", message: "Hi" };
  const unicode = 'Ça va? “Ŝi” \u{1F469}\u200D\u{1F467} \u05D0\u202E\u2028 {"}\\ \r\n\t–';
  const file = join(folder, "message.txt");
  writeFileSync(file, "From a file\n\n");

  test.each<[string, readonly string[], Record<string, string>, string?]>([
    ["only what was asked for", send, plain],
    ["a sender's name", [...send, "--sender", "ACME"], { ...plain, senderIdName: "ACME" }],
    [
      "a sender's identifier",
      [...send, "--sender-id", "5f".repeat(12)],
      { ...plain, senderId: "5f".repeat(12) },
    ],
    ["a number without its punctuation", ["send", "--to", "+254 (712) 345-678", "-m", "Hi"], plain],
    ["a number read in its country", ["send", "--to", "0712 345678", "--country", "KE", "-m", "Hi"], plain],
    [
      "every character of a message",
      ["send", "--to", plain.to, "-m", unicode],
      { ...plain, message: unicode },
    ],
    [
      "a message of 1600 code units",
      ["send", "--to", plain.to, "-m", "€".repeat(1600)],
      { ...plain, message: "€".repeat(1600) },
    ],
    [
      "a file but for one final newline",
      ["send", "--to", plain.to, "--message-file", file],
      { ...plain, message: "From a file\n" },
    ],
    ["standard input, unasked", ["send", "--to", plain.to], { ...plain, message: "Piped" }, "Piped"],
    ["standard input, asked", ["send", "--to", plain.to, "-m", "-"], { ...plain, message: "Piped" }, "Piped"],
  ])("carries %s", async (_name, args, body, stdin) => {
    expect(bodyOf(await run([...args, "--json"], stdin === undefined ? {} : { stdin }))).toEqual(body);
  });

  test("carries the sender of the environment, unless an option names another", async () => {
    const env = { ...testKey, SMS_SENDER: "ACME" };
    expect(bodyOf(await run([...send, "--json"], { env }))).toEqual({ ...plain, senderIdName: "ACME" });
    expect(bodyOf(await run([...send, "--json", "-s", "OTHER"], { env }))).toEqual({
      ...plain,
      senderIdName: "OTHER",
    });
  });

  const keyFile = join(folder, "key");
  writeFileSync(keyFile, "sk_live_from_file\n");
  const basic = `Basic ${Buffer.from("é@acme.example:pä:ß").toString("base64")}`;

  test.each([
    ["a test key", { SMS_API_KEY: "sk_test_abc" }, "Bearer sk_test_abc", "test"],
    ["a live key", { SMS_API_KEY: "sk_live_abc" }, "Bearer sk_live_abc", "live"],
    ["a key in a file", { SMS_API_KEY_FILE: keyFile }, "Bearer sk_live_from_file", "live"],
    ["an account", { SMS_EMAIL: "é@acme.example", SMS_PASSWORD: "pä:ß" }, basic, "account"],
  ])("is authorised by %s", async (_name, env, authorization, mode) => {
    const { ended, requests } = await run([...send, "--json"], { env });
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect(requests.map(({ headers }) => headers["authorization"])).toEqual([authorization]);
    expect(JSON.parse(ended.stdout)).toEqual({
      success: true,
      messageId: "msg_0001",
      segments: 1,
      totalCredits: 1,
      totalCostKes: 0.8,
      newBalance: 99,
      status: "queued",
      to: "+254712345678",
      senderId: "ACME",
      mode,
    });
  });

  test.each([
    ["", "/api/v1/sms/send"],
    ["/", "/api/v1/sms/send"],
    ["/gateway", "/gateway/api/v1/sms/send"],
    ["/gateway/", "/gateway/api/v1/sms/send"],
    ["/a/b", "/a/b/api/v1/sms/send"],
  ])("goes from a base path of %j to %s", async (path, target) => {
    const { requests } = await run(send, { path });
    expect(requests.map((request) => [request.method, request.target])).toEqual([["POST", target]]);
  });

  test("is HTTP/1.1 on a connection of its own, with no header that says more than it must", async () => {
    const { requests, connections } = await run(send);
    expect(connections).toBe(1);
    expect(requests.map(({ httpVersion }) => httpVersion)).toEqual(["HTTP/1.1"]);
    const {
      "user-agent": _agent,
      accept: _accept,
      connection: _connection,
      ...headers
    } = requests[0]?.headers ?? {};
    expect(headers).toEqual({
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as unknown,
      authorization: "Bearer sk_test_abc",
      "content-type": expect.stringMatching(/^application\/json(; ?charset=utf-8)?$/i) as unknown,
      "content-length": "37",
    });
  });
});

describe.concurrent("a secret", () => {
  // With what JSON escapes, so that it is looked for in its escaped form too.
  const key = 'sk_live_canary"0123\\456789';
  const account = { SMS_EMAIL: "desk@acme.example", SMS_PASSWORD: 'canary"of\\a-password' };
  const encoded = Buffer.from(`${account.SMS_EMAIL}:${account.SMS_PASSWORD}`).toString("base64");
  const echoing: Script = (socket, request, index) => {
    const { authorization = "" } = request.headers;
    const secret = authorization.startsWith("Basic ") ? account.SMS_PASSWORD : key;
    const error = `${authorization} is wrong: ${secret}`;
    answer(400, { error, errorCode: authorization }, { "x-echo": authorization })(socket, request, index);
  };
  const inReceipt: Script = (socket, request, index) => {
    const { authorization = "" } = request.headers;
    accept({ messageId: authorization, senderId: authorization, status: authorization })(
      socket,
      request,
      index,
    );
  };

  test.each(
    [{ SMS_API_KEY: key }, account].flatMap((env) =>
      [
        { script: accept(), does: "takes it", exitCode: 0 },
        { script: inReceipt, does: "echoes it in a receipt", exitCode: 0 },
        { script: echoing, does: "echoes it in an error", exitCode: 3 },
      ].flatMap((server) =>
        [["--json"], ["--verbose"]].map(
          (args) => [Object.keys(env).join(" and "), server.does, args, env, server] as const,
        ),
      ),
    ),
  )(
    "of %s appears nowhere where the service %s, with %j",
    async (_kind, _does, args, env, { script, exitCode }) => {
      const { ended, requests } = await run([...send, ...args], { env, script });
      expect([ended.code, requests.length]).toEqual([exitCode, 1]);
      expect(ended.stdout + ended.stderr).not.toContain("canary");
      expect(ended.stdout + ended.stderr).not.toContain(encoded);
    },
  );

  test.each([
    ["an option that is not there", [...send, `--api-key=${key}`]],
    ["an option that is not there, with --json", [...send, "--json", `--api-key=${key}`]],
    ["an option's argument", [...send, "--api-key", key]],
    ["a word too many", [...send, key]],
    ["a command", [key]],
    ["an option", [`--${key}`]],
    ["a number", ["send", "--to", key, "-m", "Hi"]],
    ["a country", ["send", "--to", "0712345678", "--country", key, "-m", "Hi"]],
    ["a timeout", [...send, "--timeout", key]],
    ["what is expected", [...send, "--expect", key]],
    ["a sender's identifier", [...send, "--sender-id", key]],
    ["a file", ["send", "--to", "+254712345678", "--message-file", key]],
  ] as const)("appears nowhere where it was typed as %s: exit 2", async (_place, args) => {
    const { ended, requests } = await run(args);
    expect([ended.code, ended.stdout, requests.length]).toEqual([2, "", 0]);
    expect(ended.stderr).not.toContain("canary");
  });

  test("appears nowhere where it is damaged, or stands in the base URL: exit 2", async () => {
    for (const env of [
      { SMS_API_KEY: `${key} x` },
      { SMS_API_KEY: `canary${key}` },
      { ...testKey, SMS_BASE_URL: `https://acme:${key}@acme.example` },
      { ...testKey, SMS_BASE_URL: `https://acme.example/?key=${key}` },
    ]) {
      const ended = await runSms(send, { env: { SMS_BASE_URL: "http://127.0.0.1:1", ...env } });
      expect([ended.code, ended.stdout]).toEqual([2, ""]);
      expect(ended.stderr).not.toContain("canary");
    }
  });

  test("that is live goes over plain http to no other machine: exit 2, before any connection", async () => {
    const proxy = await startScriptedProxy({ kind: "drops" });
    try {
      for (const credentials of [{ SMS_API_KEY: key }, account]) {
        for (const SMS_BASE_URL of [
          "http://acme.example",
          "http://127.0.0.1.acme.example",
          "http://10.0.0.1",
        ]) {
          const env = { ...credentials, SMS_BASE_URL, HTTP_PROXY: proxy.url };
          const ended = await runSms(send, { env });
          expect([ended.code, ended.stdout]).toEqual([2, ""]);
        }
      }
      expect(proxy.connections()).toBe(0);
    } finally {
      await proxy.close();
    }
  });
});

test("--verbose shows what goes over the wire, but not the message", async () => {
  const { ended } = await run(["send", "--to", "+254712345678", "-m", "A private matter", "--verbose"]);
  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/POST .*\/api\/v1\/sms\/send/);
  expect(ended.stderr).toContain("200");
  expect(ended.stdout + ended.stderr).not.toContain("private");
});

describe.concurrent("text from the service", () => {
  /** Clears a terminal, rings, overwrites a line, forges one, and turns the writing round. */
  const hostile =
    "\u001B[2J\u0007over\rforged\nsms: all is well\u009B31m\u007F\u202Eevil\u2066\u2028\u2029\u200Fend";
  const drives =
    /[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u061C\u200E\u200F\u202A-\u202E\u2066-\u2069\u2028\u2029]/;
  const inError = answer(400, { error: hostile, errorCode: hostile });
  const inReceipt = accept({ messageId: hostile, senderId: hostile, status: hostile });
  // What a proxy or a stray server says is shown with --verbose.
  const inHead = answer(200, "<h1>", { "x-hostile": "\u009B31m\u001B[2J", server: "\u001B]0;evil\u0007" });

  test.each(
    [
      { where: "an error", script: inError, exitCode: 3 },
      { where: "a receipt", script: inReceipt, exitCode: 0 },
      { where: "headers", script: inHead, exitCode: 10 },
    ].flatMap((row) => [[], ["--json"], ["--quiet"], ["--verbose"]].map((args) => ({ ...row, args }))),
  )("in $where cannot drive the terminal, with $args", async ({ script, exitCode, args }) => {
    const { ended } = await run([...send, ...args], { script });
    expect(ended.code).toBe(exitCode);
    expect(ended.stdout + ended.stderr).not.toMatch(drives);
    expect(ended.stdout + ended.stderr).not.toMatch(/^sms: all is well/m);
  });

  test("is whole in JSON, by escapes", async () => {
    const failed = await run([...send, "--json"], { script: inError });
    expect(JSON.parse(failed.ended.stderr)).toMatchObject({ error: hostile, errorCode: hostile });
    const accepted = await run([...send, "--json"], { script: inReceipt });
    expect(JSON.parse(accepted.ended.stdout)).toMatchObject({ messageId: hostile, senderId: hostile });
  });

  test("stays readable to a person", async () => {
    const { ended } = await run(send, { script: inError });
    expect(ended.stderr).toContain("evil");
    expect(ended.stderr).toContain("end");
  });
});
