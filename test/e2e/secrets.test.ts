import { describe, expect, test } from "vitest";
import { runBuilt } from "../support/built.ts";
import { startScriptedProxy } from "../support/scripted-proxy.ts";
import { runAgainst, sendHi, testKey } from "../support/scripted-run.ts";
import { accept } from "../support/scripts.ts";
import { runSms } from "../support/sms.ts";

describe.concurrent("a secret", () => {
  const key = "sk_live_canary0123456789";
  // With a character that JSON escapes, and the canary on both sides of it.
  const oddKey = 'sk_live_canary"and\\canary';
  const account = { SMS_EMAIL: "desk@acme.example", SMS_PASSWORD: 'canary"and\\canary' };
  test.each([
    ["an option that is not there", [...sendHi, `--api-key=${key}`]],
    ["an option that is not there, quotation mark and all", [...sendHi, `--api-key=${oddKey}`]],
    ["an option that is not there, with --json", [...sendHi, "--json", `--api-key=${key}`]],
    ["an option's argument", [...sendHi, "--api-key", key]],
    ["a word too many", [...sendHi, key]],
    ["a command", [key]],
    ["an option", [`--${key}`]],
    ["a number", ["send", "--to", key, "-m", "Hi"]],
    ["a country", ["send", "--to", "0712345678", "--country", key, "-m", "Hi"]],
    ["a timeout", [...sendHi, "--timeout", key]],
    ["what is expected", [...sendHi, "--expect", key]],
    ["the name of a run", [...sendHi, "--to", "+254712345679", "--run", key, "--yes"]],
    ["a sender", [...sendHi, "--sender", key]],
    ["a key of --once", [...sendHi, "--once", key]],
    ["the default sender", ["profiles", "set", "sender", key]],
    ["the name of a profile", [...sendHi, "--profile", key]],
    ["the name of a key", ["keys", "add", key]],
    ["a base URL", ["login", "--with-key", "--base-url", `https://acme.example/${key}`]],
    ["a file", ["send", "--to", "+254712345678", "--message-file", key]],
  ] as const)("appears nowhere where it was typed as %s: exit 2", async (_place, args) => {
    const { ended, requests } = await runAgainst({ onRequest: accept() }, args);
    expect({ code: ended.code, stdout: ended.stdout, requests: requests.length }).toEqual({
      code: 2,
      stdout: "",
      requests: 0,
    });
    expect(ended.stderr).not.toContain("canary");
  });

  test.each([
    { SMS_API_KEY: `${key} x` },
    { SMS_API_KEY: `canary${key}` },
    { ...testKey, SMS_SENDER: key },
    { ...testKey, SMS_BASE_URL: `https://acme:${key}@acme.example` },
    { ...testKey, SMS_BASE_URL: `https://acme.example/?key=${key}` },
    { ...testKey, SMS_BASE_URL: `http://127.0.0.1:1/${key}` },
    { ...testKey, HTTP_PROXY: "http://acme:canary%zz@127.0.0.1:1" },
  ])("appears nowhere if it is damaged or part of the base URL: exit 2, %j", async (env) => {
    const { code, stdout, stderr } = await runBuilt(sendHi, { env: { SMS_BASE_URL: "http://127.0.0.1:1", ...env } });

    expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    expect(stderr).not.toContain("canary");
  });

  test("of a proxy appears nowhere, not even where Node itself prints what it requests", async () => {
    const proxy = await startScriptedProxy({ kind: "answers", status: 407 });
    const HTTP_PROXY = proxy.url.replace("//", "//acme:canary@");
    const env = { ...testKey, HTTP_PROXY, NODE_DEBUG: "net,http,https,tls,stream" };
    const args = [...sendHi, "--verbose", "--retries", "0"];

    const { ended } = await runAgainst({ onRequest: accept() }, args, { env, run: runSms });

    expect({ code: ended.code, connections: proxy.connections() }).toEqual({ code: 9, connections: 1 });
    expect(proxy.heads[0]).toContain("YWNtZTpjYW5hcnk");
    expect(ended.stderr).toContain("createConnection");
    expect(ended.stdout + ended.stderr).not.toMatch(/canary|YWNtZTpjYW5hcnk/);
  });

  test("that is live never goes over plain http to another machine: exit 2, before any connection", async () => {
    const proxy = await startScriptedProxy({ kind: "drops" });
    const urls = ["http://acme.example", "http://127.0.0.1.acme.example", "http://10.0.0.1"];
    const credentials: readonly Readonly<Record<string, string>>[] = [{ SMS_API_KEY: oddKey }, account];
    const cases = urls.flatMap((SMS_BASE_URL) => credentials.map((secret) => ({ ...secret, SMS_BASE_URL })));

    for (const env of cases) {
      const { code, stdout } = await runBuilt(sendHi, { env: { ...env, HTTP_PROXY: proxy.url } });
      expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
    }

    expect(proxy.connections()).toBe(0);
  });
});

test("--verbose shows the wire traffic, but not the message", async () => {
  const args = ["send", "--to", "+254712345678", "-m", "A private matter", "--verbose"];
  const { ended } = await runAgainst({ onRequest: accept() }, args);

  expect(ended.code).toBe(0);
  expect(ended.stderr).toMatch(/POST .*\/api\/v1\/sms\/send/);
  expect(ended.stderr).toContain("200");
  expect(ended.stdout + ended.stderr).not.toContain("private");
});
