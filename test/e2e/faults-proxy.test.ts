import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runBuilt } from "../support/built.ts";
import { needs } from "../support/needs.ts";
import { selfSigned } from "../support/certificates.ts";
import { allowanceMs, expectFailure, doubt, unreachable } from "../support/fault.ts";
import { temporaryFolder } from "../support/folders.ts";
import { type ProxyBehaviour, startScriptedProxy } from "../support/scripted-proxy.ts";
import { accept, writeThenReset } from "../support/scripts.ts";
import { type ScriptedServerOptions, startScriptedServer } from "../support/scripted-server.ts";
import { runSms } from "../support/sms.ts";

/** Only the proxy can resolve this name. */
const SMS_BASE_URL = "https://acme.invalid";
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
  env = (HTTPS_PROXY) => ({ SMS_BASE_URL, HTTPS_PROXY }),
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

describe.concurrent("a proxy that", needs("CI to be set"), () => {
  test.each<[string, Road, number]>([
    ["answers CONNECT with 407, without a retry", { behaviour: { kind: "answers", status: 407 } }, 1],
    ["drops", { behaviour: { kind: "drops" }, args: ["--retries", "1"] }, 2],
    ["stalls", { behaviour: { kind: "stalls" }, args: ["--timeout", "1"] }, 1],
    ["cuts", { behaviour: { kind: "cuts" }, args: ["--retries", "1"] }, 2],
    ["tunnels to a server that stalls in TLS", { server: { onConnection: () => {} }, args: ["--timeout", "1"] }, 1],
    ["is not there", { env: () => ({ SMS_BASE_URL, HTTPS_PROXY: "http://127.0.0.1:1" }), args: ["--retries", "0"] }, 0],
  ])("%s: exit 9, unsent", async (_, road, connections) => {
    const { ended, proxy, server } = await sendOn(road);

    expectFailure(ended, unreachable);
    expect({ connections: proxy.connections(), requests: server.requests }).toEqual({ connections, requests: [] });
    expect(ended.ms).toBeLessThan(1000 + allowanceMs);
  });

  test.each([
    ["resets", writeThenReset(""), []],
    ["goes silent", () => {}, ["--timeout", "3"]],
  ])("tunnels to a server that %s: exit 10, uncertain, 1 POST", async (_, onRequest, args) => {
    const { ended, server } = await sendOn({ server: { tls: certificate, onRequest }, args });

    expectFailure(ended, doubt);
    expect(server.requests.map(({ method }) => method)).toEqual(["POST"]);
  });
});

describe.concurrent("a send", () => {
  test.each([
    ["reaches http by HTTP_PROXY", 1, (HTTP_PROXY: string) => ({ SMS_BASE_URL: "http://acme.invalid", HTTP_PROXY })],
    [
      "goes past the proxy if NO_PROXY names the host",
      0,
      (HTTP_PROXY: string, url: string) => ({ SMS_BASE_URL: url, HTTP_PROXY, NO_PROXY: "acme.example,127.0.0.1" }),
    ],
  ])("%s", async (_, connections, env) => {
    const { ended, proxy, server } = await sendOn({ server: {}, env });

    expect(ended).toMatchObject({ code: 0, stderr: "" });
    expect([proxy.connections(), server.requests.length]).toEqual([connections, 1]);
  });

  test("gives the password of a proxy to it alone, and prints it nowhere, as Node itself does for NODE_DEBUG", async () => {
    const password = "acme:canary-of-the-proxy";
    const encoded = Buffer.from(password).toString("base64");
    const env = (url: string) => ({
      SMS_BASE_URL,
      HTTPS_PROXY: url.replace("//", `//${password}@`),
      NODE_DEBUG: "net,http,https,tls,stream",
    });

    const { ended, proxy, server } = await sendOn({ env, args: ["--verbose"] });

    expect({ code: ended.code, requests: server.requests.length }).toEqual({ code: 0, requests: 1 });
    expect(proxy.heads[0]).toMatch(/^CONNECT acme\.invalid:443 HTTP\/1\.1\r\n/);
    expect(proxy.heads.join().toLowerCase()).toContain(`proxy-authorization: basic ${encoded.toLowerCase()}`);
    expect(JSON.stringify(server.requests)).not.toMatch(/proxy-authorization/i);
    expect(ended.stderr).toMatch(/^NET /m);
    expect(ended.stdout + ended.stderr).not.toMatch(new RegExp(`canary-of-the-proxy|${encoded}`));
  });
});
