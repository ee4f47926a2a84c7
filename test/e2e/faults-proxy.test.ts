import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runBuilt } from "../support/built.ts";
import { selfSigned } from "../support/certificates.ts";
import { allowanceMs, failed, failureOf } from "../support/fault.ts";
import { temporaryFolder } from "../support/folders.ts";
import { type ProxyBehaviour, startScriptedProxy } from "../support/scripted-proxy.ts";
import { accept, writeThenReset } from "../support/scripts.ts";
import { type ScriptedServerOptions, startScriptedServer } from "../support/scripted-server.ts";
import { runSms } from "../support/sms.ts";

/** A name that only the proxy can resolve. */
const certificate = selfSigned({ names: ["acme.invalid"] });
const trustedFile = join(temporaryFolder(), "trusted.pem");
beforeAll(() => writeFileSync(trustedFile, certificate.cert));

interface Road {
  /** By default TLS, and every message is accepted. */
  readonly server?: ScriptedServerOptions;
  /** By default the proxy tunnels to the server. */
  readonly behaviour?: ProxyBehaviour;
  readonly env?: (proxyUrl: string, serverUrl: string) => Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

async function sendOn({
  server: options = { tls: certificate },
  behaviour,
  env = (HTTPS_PROXY) => ({ SMS_BASE_URL: "https://acme.invalid", HTTPS_PROXY }),
  args = [],
}: Road = {}) {
  const server = await startScriptedServer({ onRequest: accept(), ...options });
  const proxy = await startScriptedProxy(behaviour ?? { kind: "tunnels", port: server.port });
  // Node reads the file of trusted certificates when it starts.
  const run = options.tls === undefined || behaviour !== undefined ? runBuilt : runSms;
  const ended = await run(["send", "--to", "+254712345678", "--message", "Hi", "--json", ...args], {
    env: { SMS_API_KEY: "sk_test_abc", NODE_EXTRA_CA_CERTS: trustedFile, ...env(proxy.url, server.url) },
  });
  return { ended, proxy, server };
}

describe.concurrent("a proxy that", () => {
  const unsent = failed({ exitCode: 9, outcome: "unsent", errorCode: "UNREACHABLE" });

  test("answers CONNECT with 407: exit 9, unsent, no retry", async () => {
    const { ended, proxy, server } = await sendOn({ behaviour: { kind: "answers", status: 407 } });

    expect(failureOf(ended)).toEqual(unsent);
    expect([proxy.connections(), server.connections()]).toEqual([1, 0]);
  });

  test("does not listen: exit 9, unsent", async () => {
    const env = () => ({ SMS_BASE_URL: "https://acme.invalid", HTTPS_PROXY: "http://127.0.0.1:1" });

    const { ended, server } = await sendOn({ env, args: ["--retries", "0"] });

    expect(failureOf(ended)).toEqual(unsent);
    expect(server.connections()).toBe(0);
  });

  test.each<[string, Road]>([
    ["drops", { behaviour: { kind: "drops" } }],
    ["stalls", { behaviour: { kind: "stalls" } }],
    ["cuts", { behaviour: { kind: "cuts" } }],
    ["tunnels to a server that stalls in the TLS handshake", { server: { onConnection: () => {} } }],
  ])("%s: exit 9, unsent, by --timeout", async (_, road) => {
    const { ended, server } = await sendOn({ ...road, args: ["--timeout", "1"] });

    expect(failureOf(ended)).toEqual(unsent);
    expect(server.requests).toEqual([]);
    expect(ended.ms).toBeLessThan(1000 + allowanceMs);
  });

  test.each([
    ["resets", writeThenReset(""), []],
    ["goes silent", () => {}, ["--timeout", "3"]],
  ])("tunnels to a server that %s: exit 10, uncertain, 1 POST", async (_, onRequest, args) => {
    const { ended, server } = await sendOn({ server: { tls: certificate, onRequest }, args });

    expect(failureOf(ended)).toEqual(failed({ exitCode: 10, outcome: "uncertain", errorCode: "NO_ANSWER" }));
    expect(server.requests.map(({ method }) => method)).toEqual(["POST"]);
  });
});

describe.concurrent("a send through a proxy", () => {
  test("of HTTPS_PROXY reaches https addresses", async () => {
    const { ended, proxy, server } = await sendOn();

    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect(proxy.heads).toEqual([expect.stringMatching(/^CONNECT acme\.invalid:443 HTTP\/1\.1\r\n/)]);
    expect(server.requests.map(({ method, target }) => [method, target])).toEqual([["POST", "/api/v1/sms/send"]]);
  });

  test.each([
    [
      "of HTTP_PROXY reaches http addresses",
      1,
      (HTTP_PROXY: string) => ({ SMS_BASE_URL: "http://acme.invalid", HTTP_PROXY }),
    ],
    [
      "goes past it if NO_PROXY names the host",
      0,
      (HTTP_PROXY: string, SMS_BASE_URL: string) => ({ SMS_BASE_URL, HTTP_PROXY, NO_PROXY: "acme.example,127.0.0.1" }),
    ],
  ])("%s", async (_, connections, env) => {
    const { ended, proxy, server } = await sendOn({ server: {}, env });

    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect({ connections: proxy.connections(), requests: server.requests.length }).toEqual({
      connections,
      requests: 1,
    });
  });

  test("that has a password gives it only to the proxy, and prints it nowhere", async () => {
    const password = "acme:canary-of-the-proxy";
    const encoded = Buffer.from(password).toString("base64");
    const env = (url: string) => ({
      SMS_BASE_URL: "https://acme.invalid",
      HTTPS_PROXY: url.replace("//", `//${password}@`),
    });

    const { ended, proxy, server } = await sendOn({ env, args: ["--verbose"] });

    expect(ended.code).toBe(0);
    expect(proxy.heads.join().toLowerCase()).toContain(`proxy-authorization: basic ${encoded.toLowerCase()}`);
    expect(JSON.stringify(server.requests)).not.toMatch(/proxy-authorization/i);
    expect(ended.stdout + ended.stderr).not.toContain("canary-of-the-proxy");
    expect(ended.stdout + ended.stderr).not.toContain(encoded);
  });
});
