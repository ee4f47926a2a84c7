import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { runBuilt } from "../support/built.ts";
import { selfSigned } from "../support/certificates.ts";
import { allowanceMs, failed, failureOf } from "../support/fault.ts";
import { type ProxyBehaviour, type ScriptedProxy, startScriptedProxy } from "../support/scripted-proxy.ts";
import { accept, writeThenReset } from "../support/scripts.ts";
import { type ScriptedServer, type ScriptedServerOptions, startScriptedServer } from "../support/scripted-server.ts";
import { type Ended, runSms } from "../support/sms.ts";
import { temporaryFolder } from "../support/folders.ts";

/** A name that only the proxy can resolve. */
const certificate = selfSigned({ names: ["acme.invalid"] });
const folder = temporaryFolder();
const trustedFile = join(folder, "trusted.pem");
beforeAll(() => writeFileSync(trustedFile, certificate.cert));
interface Sent {
  readonly ended: Ended;
  readonly proxy: ScriptedProxy;
  readonly server: ScriptedServer;
}

interface Road {
  /** What the server does with a request; accepts it by default. */
  readonly server?: ScriptedServerOptions;
  /** What the proxy does; tunnels to the server by default. */
  readonly behaviour?: ProxyBehaviour;
  readonly env: (proxy: ScriptedProxy, server: ScriptedServer) => Readonly<Record<string, string>>;
  readonly args?: readonly string[];
}

/** Sends one message with a proxy available, then closes server and proxy. */
async function sendOn({ server: options, behaviour, env, args = [] }: Road): Promise<Sent> {
  const server = await startScriptedServer({ onRequest: accept(), ...options });
  const proxy = await startScriptedProxy(behaviour ?? { kind: "tunnels", port: server.port });
  try {
    // Node reads the file of trusted certificates when it starts.
    const run = options?.tls === undefined || behaviour !== undefined ? runBuilt : runSms;
    const ended = await run(["send", "--to", "+254712345678", "--message", "Hi", "--json", ...args], {
      env: { SMS_API_KEY: "sk_test_abc", NODE_EXTRA_CA_CERTS: trustedFile, ...env(proxy, server) },
    });
    return { ended, proxy, server };
  } finally {
    await Promise.all([server.close(), proxy.close()]);
  }
}

const overTls: Road = {
  server: { tls: certificate },
  env: (proxy) => ({ SMS_BASE_URL: "https://acme.invalid", HTTPS_PROXY: proxy.url }),
};

describe.concurrent("a proxy that", () => {
  const unsent = { exitCode: 9, outcome: "unsent", errorCode: "UNREACHABLE" } as const;

  test("answers CONNECT with 407: exit 9, unsent, no retry", async () => {
    const { ended, proxy, server } = await sendOn({ ...overTls, behaviour: { kind: "answers", status: 407 } });
    expect(failureOf(ended)).toEqual(failed(unsent));
    expect([proxy.connections(), server.connections()]).toEqual([1, 0]);
  });

  test.each(["drops", "stalls", "cuts"] as const)("%s: exit 9, unsent, by --timeout", async (kind) => {
    const { ended, server } = await sendOn({ ...overTls, behaviour: { kind }, args: ["--timeout", "1"] });
    expect(failureOf(ended)).toEqual(failed(unsent));
    expect(server.connections()).toBe(0);
    expect(ended.ms).toBeLessThan(1000 + allowanceMs);
  });

  test("does not listen: exit 9, unsent", async () => {
    const { ended, server } = await sendOn({
      ...overTls,
      env: () => ({ SMS_BASE_URL: "https://acme.invalid", HTTPS_PROXY: "http://127.0.0.1:1" }),
      args: ["--retries", "0"],
    });
    expect(failureOf(ended)).toEqual(failed(unsent));
    expect(server.connections()).toBe(0);
  });

  test("tunnels to a server that stalls in the TLS handshake: exit 9, unsent, by --timeout", async () => {
    const { ended } = await sendOn({
      ...overTls,
      server: { onConnection: () => {} },
      args: ["--timeout", "1"],
    });
    expect(failureOf(ended)).toEqual(failed(unsent));
    expect(ended.ms).toBeLessThan(1000 + allowanceMs);
  });

  test.each([
    ["resets", writeThenReset(""), {}],
    ["goes silent", () => {}, { args: ["--timeout", "3"] }],
  ])("tunnels to a server that %s: exit 10, uncertain, 1 POST", async (_name, onRequest, more) => {
    const { ended, server } = await sendOn({ ...overTls, server: { tls: certificate, onRequest }, ...more });
    expect(failureOf(ended)).toEqual(failed({ exitCode: 10, outcome: "uncertain", errorCode: "NO_ANSWER" }));
    expect(server.requests.map(({ method }) => method)).toEqual(["POST"]);
  });
});

describe.concurrent("a send through a proxy", () => {
  test("of HTTPS_PROXY reaches https addresses", async () => {
    const { ended, proxy, server } = await sendOn(overTls);
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect(proxy.heads).toEqual([expect.stringMatching(/^CONNECT acme\.invalid:443 HTTP\/1\.1\r\n/)]);
    expect(server.requests.map(({ method, target }) => [method, target])).toEqual([["POST", "/api/v1/sms/send"]]);
  });

  test("of HTTP_PROXY reaches http addresses", async () => {
    const { ended, proxy, server } = await sendOn({
      env: ({ url }) => ({ SMS_BASE_URL: "http://acme.invalid", HTTP_PROXY: url }),
    });
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect([proxy.connections(), server.requests.length]).toEqual([1, 1]);
  });

  test("goes past it if NO_PROXY names the host", async () => {
    const { ended, proxy, server } = await sendOn({
      env: ({ url }, { url: SMS_BASE_URL }) => ({ SMS_BASE_URL, HTTP_PROXY: url, NO_PROXY: "acme.example,127.0.0.1" }),
    });
    expect([ended.code, ended.stderr]).toEqual([0, ""]);
    expect([proxy.connections(), server.requests.length]).toEqual([0, 1]);
  });

  test("that has a password gives it to the proxy alone, and prints it nowhere", async () => {
    const { ended, proxy, server } = await sendOn({
      ...overTls,
      env: ({ url }) => ({
        SMS_BASE_URL: "https://acme.invalid",
        HTTPS_PROXY: url.replace("//", "//acme:canary-of-the-proxy@"),
      }),
      args: ["--verbose"],
    });
    const encoded = Buffer.from("acme:canary-of-the-proxy").toString("base64");
    expect(ended.code).toBe(0);
    expect(proxy.heads.join().toLowerCase()).toContain(`proxy-authorization: basic ${encoded.toLowerCase()}`);
    expect(JSON.stringify(server.requests)).not.toMatch(/proxy-authorization/i);
    expect(ended.stdout + ended.stderr).not.toContain("canary-of-the-proxy");
    expect(ended.stdout + ended.stderr).not.toContain(encoded);
  });
});
