import { beforeAll, describe, expect, it } from "vitest";
import { runBuilt } from "../support/built.ts";
import { selfSigned } from "../support/certificates.ts";
import { type ScriptedServer, startScriptedServer } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { runSms } from "../support/sms.ts";

const hi = ["send", "--to", "+254712345678", "-m", "Hi"];
const unchecked = { NODE_TLS_REJECT_UNAUTHORIZED: "0", NODE_NO_WARNINGS: "1" };
const warning = "NODE_TLS_REJECT_UNAUTHORIZED=0 turns certificate checks off";

let server: ScriptedServer;
beforeAll(async () => {
  server = await startScriptedServer({ tls: selfSigned({ names: ["elsewhere.example"] }), onRequest: accept() });
});

describe("without certificate checks", () => {
  it.each([
    ["login", ["login", "--base-url", "https://sms.invalid", "--with-key"]],
    ["a key command", ["login", "--base-url", "https://sms.invalid", "--key-command", "echo sk_live_a"]],
  ])("%s checks no live key", async (_, args) => {
    const { code, stderr } = await runBuilt([...args, "--json"], {
      env: { ...unchecked, PATH: process.env["PATH"] ?? "" },
      stdin: "sk_live_a",
    });
    expect(code).toBe(2);
    expect(JSON.parse(stderr)).toMatchObject({ errorCode: "UNCHECKED_CERTIFICATE" });
  });

  it("a test key is sent with a warning of ours, and none of Node's", async () => {
    const key = { SMS_BASE_URL: `https://127.0.0.1:${server.port}`, SMS_API_KEY: "sk_test_a" };
    const human = await runSms(hi, { env: { ...key, NODE_TLS_REJECT_UNAUTHORIZED: "0" } });
    expect({ code: human.code, lines: human.stderr.split("\n").length }).toEqual({ code: 0, lines: 2 });
    expect(human.stderr).toContain(`Warning: ${warning}`);
    const json = await runSms([...hi, "--json"], { env: { ...key, ...unchecked } });

    expect(json.stderr).toBe("");
    expect(JSON.parse(json.stdout).warnings).toEqual([expect.stringContaining(warning)]);
  });

  it("a live key goes to this machine, past every proxy", async () => {
    const env = {
      ...unchecked,
      SMS_BASE_URL: `https://127.0.0.1:${server.port}`,
      SMS_API_KEY: "sk_live_a",
      HTTPS_PROXY: "http://127.0.0.1:1",
    };
    expect((await runSms(hi, { env })).code).toBe(0);
  });
});
