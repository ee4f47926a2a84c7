import type { TlsOptions } from "node:tls";
import { buildConnector } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { tunnelThrough } from "../../src/service/tunnel.ts";
import { selfSigned } from "../support/certificates.ts";
import { startScriptedProxy } from "../support/scripted-proxy.ts";
import { startScriptedServer } from "../support/scripted-server.ts";

interface Reached {
  readonly error: Error | null;
  /** This came through the tunnel after we sent a byte into the tunnel. */
  readonly bytes: string;
}

/** Connects to `origin` through a proxy, and sends a byte if it comes to a connection. */
async function reach(origin: string, proxy: string, timeout = 5_000): Promise<Reached> {
  const { protocol, hostname, port, host } = new URL(origin);
  const connector = await tunnelThrough(new URL(proxy), buildConnector({ timeout }), timeout);
  return new Promise((resolve) => {
    connector({ protocol, hostname, port, host }, (error, socket) => {
      if (error !== null || socket === null) return resolve({ error, bytes: "" });
      onTestFinished(() => void socket.destroy());
      socket.once("data", (chunk: Buffer) => resolve({ error, bytes: chunk.toString() }));
      socket.write("?");
    });
  });
}

/** A proxy to a server that says hello to the first byte. */
async function startTunnel() {
  const server = await startScriptedServer({
    onConnection: (socket) => socket.once("data", () => socket.write("hello")),
  });
  return startScriptedProxy({ kind: "tunnels", port: server.port });
}

describe("a tunnel", () => {
  it.each([
    ["http://sms.invalid", "sms.invalid:80"],
    ["http://sms.invalid:8080", "sms.invalid:8080"],
    ["http://[::1]:8080", "[::1]:8080"],
    ["https://sms.invalid", "sms.invalid:443"],
    ["https://sms.invalid:8443", "sms.invalid:8443"],
  ])("to %s is asked for as CONNECT %s", async (origin, target) => {
    const proxy = await startTunnel();

    const reached = await reach(origin, proxy.url);

    const [line, ...headers] = (proxy.heads[0] ?? "").split("\r\n");
    expect(line).toBe(`CONNECT ${target} HTTP/1.1`);
    expect(headers.map((each) => each.toLowerCase())).toContain(`host: ${target}`);
    // TLS begins inside the tunnel, and the server's hello is no TLS.
    const noTls = { error: { code: "ERR_SSL_WRONG_VERSION_NUMBER" } };
    expect(reached).toMatchObject(origin.startsWith("https") ? noTls : { error: null, bytes: "hello" });
  });

  it.each([
    ["no credentials", "", undefined],
    ["user and password, decoded", "jo%40acme:p%3Aß@", "jo@acme:p:ß"],
    ["only a user", "jo@", "jo:"],
    ["only a password", ":secret@", ":secret"],
  ])("is asked for with %s", async (_, userinfo, expected) => {
    const proxy = await startTunnel();
    await reach("http://sms.invalid", proxy.url.replace("//", `//${userinfo}`));
    const basic = /^proxy-authorization: Basic (.+)$/im.exec(proxy.heads[0] ?? "")?.[1];
    expect(basic && Buffer.from(basic, "base64").toString()).toBe(expected);
  });
});

describe("a proxy", () => {
  it.each([
    [101, "", "PROXY_REFUSED", "refused to connect to the service: HTTP 101"],
    [300, "", "PROXY_REFUSED", "refused to connect to the service: HTTP 300"],
    [403, "", "PROXY_REFUSED", "refused to connect to the service: HTTP 403"],
    [407, "", "PROXY_UNAUTHORIZED", ""],
    [407, "me:secret@", "PROXY_PASSWORD", ""],
    [503, "", "PROXY_REFUSED", "could not reach the service: HTTP 503"],
  ])("that answers %i to %j opens no tunnel, and says so itself", async (status, userinfo, code, message) => {
    const proxy = await startScriptedProxy({ kind: "answers", status });
    const { error } = await reach("http://sms.invalid", proxy.url.replace("//", `//${userinfo}`));
    expect(error).toMatchObject({ code, message, peer: `the proxy at ${new URL(proxy.url).host}` });
  });

  it.each([
    ["localhost", ["localhost"]],
    // An address has no server name.
    ["127.0.0.1", []],
  ])("at https://%s is asked for its own certificate, not for the service's", async (host, serverNames) => {
    const names: string[] = [];
    const SNICallback: TlsOptions["SNICallback"] = (name, callback) => {
      names.push(name);
      callback(null);
    };
    const tls = { ...selfSigned({ names: ["localhost"] }), SNICallback };
    const { url } = await startScriptedServer({ address: host, tls });
    const { error } = await reach("https://sms.invalid", url);
    expect(error).toMatchObject({ code: "DEPTH_ZERO_SELF_SIGNED_CERT" });
    expect(names).toEqual(serverNames);
  });
});
