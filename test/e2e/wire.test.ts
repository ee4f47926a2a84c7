import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { deviationsOfRequest } from "../sandbox/openapi.ts";
import { runAgainst, type ScriptedRun, type ScriptedRunOptions, sendHi } from "../support/scripted-run.ts";
import type { ScriptedServer } from "../support/scripted-server.ts";
import { accept, receiptFor } from "../support/scripts.ts";
import { runSms } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

const folder = temporaryFolder();
function run(args: readonly string[], options?: ScriptedRunOptions): Promise<ScriptedRun> {
  return runAgainst({ onRequest: accept() }, args, options);
}

/** The body of the only request, parsed, which is as `openapi.yaml` says. */
function bodyOf({ ended, requests }: ScriptedRun): unknown {
  expect(ended).toMatchObject({ code: 0, stderr: "" });
  expect(requests).toHaveLength(1);
  expect(requests.flatMap(deviationsOfRequest)).toEqual([]);
  return JSON.parse(requests[0]?.body ?? "");
}

describe.concurrent("the request of a send", () => {
  const plain = { to: "+254712345678", message: "Hi" };
  const unicode = 'Ça va? “Ŝi” \u{1F469}\u200D\u{1F467} \u05D0\u202E\u2028 {"}\\ \n\t–';
  const long = "€".repeat(1600);

  test.each<[string, readonly string[], Record<string, string>]>([
    ["only what was asked for", sendHi, plain],
    ["a sender's name", [...sendHi, "--sender", "ACME"], { ...plain, senderIdName: "ACME" }],
    ["a sender's identifier", [...sendHi, "--sender", "5f".repeat(12)], { ...plain, senderId: "5f".repeat(12) }],
    ["every character of a message", ["send", "--to", plain.to, "-m", unicode], { ...plain, message: unicode }],
    ["a message of 1600 code units", ["send", "--to", plain.to, "-m", long], { ...plain, message: long }],
  ])("carries %s", async (_, args, body) => {
    expect(bodyOf(await run([...args, "--json"]))).toEqual(body);
  });

  const keyFile = join(folder, "key");
  writeFileSync(keyFile, "sk_live_from_file\n", { mode: 0o600 });
  const basic = `Basic ${Buffer.from("é@acme.example:pä:ß").toString("base64")}`;

  test.each([
    ["a test key", { SMS_API_KEY: "sk_test_abc" }, "Bearer sk_test_abc", "test"],
    ["a live key", { SMS_API_KEY: "sk_live_abc" }, "Bearer sk_live_abc", "live"],
    ["a key in a file", { SMS_API_KEY_FILE: keyFile }, "Bearer sk_live_from_file", "live"],
    ["an account", { SMS_EMAIL: "é@acme.example", SMS_PASSWORD: "pä:ß" }, basic, "account"],
  ])("is authorised by %s", async (_name, env, authorization, mode) => {
    const { ended, requests } = await run([...sendHi, "--json"], { env });
    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(requests.map(({ headers }) => headers["authorization"])).toEqual([authorization]);
    expect(requests.flatMap(deviationsOfRequest)).toEqual([]);
    expect(JSON.parse(ended.stdout)).toEqual({ ...receiptFor("+254712345678"), mode, outcome: "accepted" });
  });

  test("goes below the base path, is HTTP/1.1 on its own connection, with only the necessary headers", async () => {
    const baseUrl = ({ url }: ScriptedServer) => `${url}/gateway/`;
    const { requests, connections } = await run(sendHi, { run: runSms, baseUrl });
    expect(connections).toBe(1);
    expect(requests).toMatchObject([{ method: "POST", target: "/gateway/api/v1/sms/send", httpVersion: "HTTP/1.1" }]);
    const { "user-agent": _agent, accept: _accept, connection: _connection, ...headers } = requests[0]?.headers ?? {};

    expect(headers).toEqual({
      host: expect.stringMatching(/^127\.0\.0\.1:\d+$/) as unknown,
      authorization: "Bearer sk_test_abc",
      "content-type": expect.stringMatching(/^application\/json(; ?charset=utf-8)?$/i) as unknown,
      "content-length": "37",
    });
  });
});
