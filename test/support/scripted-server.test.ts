import { X509Certificate } from "node:crypto";
import http from "node:http";
import https from "node:https";
import { describe, expect, onTestFinished, test } from "vitest";
import { selfSigned } from "./certificates.ts";
import { startScriptedProxy } from "./scripted-proxy.ts";
import { type ScriptedServerOptions, type ScriptedServer, startScriptedServer } from "./scripted-server.ts";
import { accept, answer, drip, head, inTurn, resetAtFirstByte, writeThenReset } from "./scripts.ts";

/** Posts with Node's own client: the answer's status and body, or the code of the error. */
function post(url: string, body: string, options: https.RequestOptions = {}): Promise<string> {
  return new Promise((resolve) => {
    const client = url.startsWith("https:") ? https : http;
    const headers = { "content-length": String(Buffer.byteLength(body)) };
    const failed = (error: NodeJS.ErrnoException): void => resolve(error.code ?? error.message);
    client
      .request(url, { method: "POST", agent: false, headers, ...options }, (response) => {
        let text = "";
        response.setEncoding("utf8");
        response.on("data", (chunk: string) => (text += chunk));
        response.on("error", failed);
        response.on("end", () => resolve(`${response.statusCode} ${text}`));
      })
      .on("error", failed)
      .end(body);
  });
}

async function serve(options: ScriptedServerOptions): Promise<ScriptedServer> {
  const server = await startScriptedServer(options);
  onTestFinished(server.close);
  return server;
}

describe("a scripted server", () => {
  test("reads a complete request from any number of pieces", async () => {
    const server = await serve({ onRequest: answer(200, "taken") });
    const text = "Ça va? ".repeat(20_000);
    expect(await post(`${server.url}/a?b=c`, text, { headers: { "x-one": "1", "content-length": 160_000 } })).toBe(
      "200 taken",
    );
    expect(server.requests).toEqual([
      {
        method: "POST",
        target: "/a?b=c",
        httpVersion: "HTTP/1.1",
        headers: expect.objectContaining({ "x-one": "1" }) as unknown,
        body: text,
        readAt: expect.any(Number) as unknown,
      },
    ]);
    expect([server.connections(), server.begun()]).toEqual([1, 1]);
  });

  test("does not count an incomplete request", async () => {
    const server = await serve({ onRequest: answer(200, "never") });
    const headers = { "content-length": "9" };
    expect(await post(server.url, "half", { headers, timeout: 100, signal: AbortSignal.timeout(200) })).toBe(
      "ABORT_ERR",
    );
    expect([server.begun(), server.requests.length]).toEqual([1, 0]);
  });

  test("answers with one script after another", async () => {
    const server = await serve({ onRequest: inTurn(answer(429, "wait"), accept({ messageId: "m" })) });
    const body = JSON.stringify({ to: "+254712345678" });
    expect(await post(server.url, body)).toBe("429 wait");
    expect(await post(server.url, body)).toMatch(/^200 .*"messageId":"m".*"to":"\+254712345678"/);
    expect(await post(server.url, body)).toMatch(/^200 /);
    expect(server.requests.length).toBe(3);
  });

  test("resets before and after it has read a request", async () => {
    const before = await serve({ onConnection: resetAtFirstByte });
    expect(await post(before.url, "text")).toBe("ECONNRESET");
    expect([before.connections(), before.requests.length]).toEqual([1, 0]);
    const after = await serve({ onRequest: writeThenReset(head(200, { "content-length": "9" })) });
    expect(await post(after.url, "text")).toBe("ECONNRESET");
    expect(after.requests.length).toBe(1);
  });

  test("drips while the connection is open", async () => {
    const server = await serve({ onRequest: drip(head(200, { "content-length": "999" })) });
    expect(await post(server.url, "text", { signal: AbortSignal.timeout(200) })).toBe("ABORT_ERR");
  });

  test("cuts open connections when it closes", async () => {
    const server = await startScriptedServer();
    const silent = post(server.url, "text");
    await server.firstRequest;
    await server.close();
    expect(await silent).toBe("ECONNRESET");
  });
});

describe("a certificate made here", () => {
  const certificate = selfSigned({ names: ["localhost", "127.0.0.1"] });

  test("names its hosts and its years", () => {
    const read = new X509Certificate(certificate.cert);
    expect([read.subjectAltName, read.validFrom, read.validTo]).toEqual([
      "DNS:localhost, IP Address:127.0.0.1",
      "Jan  1 00:00:00 2020 GMT",
      "Dec 31 23:59:59 2099 GMT",
    ]);
    expect(read.verify(read.publicKey)).toBe(true);
  });

  const elsewhere = selfSigned({ names: ["elsewhere.example"] });
  const expired = selfSigned({ names: ["127.0.0.1"], years: [2001, 2002] });
  test.each([
    ["is taken by who trusts it", certificate, certificate.cert, "200 taken"],
    ["is refused by who does not", certificate, undefined, "DEPTH_ZERO_SELF_SIGNED_CERT"],
    ["is refused for another host", elsewhere, elsewhere.cert, "ERR_TLS_CERT_ALTNAME_INVALID"],
    ["is refused after its years", expired, expired.cert, "CERT_HAS_EXPIRED"],
  ])("%s", async (_name, shown, trusted, expected) => {
    const server = await serve({ tls: shown, onRequest: answer(200, "taken") });
    expect(await post(server.url, "text", trusted === undefined ? {} : { ca: trusted })).toBe(expected);
    expect(server.requests.length).toBe(expected.startsWith("200") ? 1 : 0);
  });
});

describe("a scripted proxy", () => {
  /** Asks the proxy for a tunnel and posts through it. */
  function postThrough(proxyUrl: string): Promise<string> {
    return new Promise((resolve) => {
      http
        .request(proxyUrl, { method: "CONNECT", path: "acme.example:80", agent: false })
        .on("connect", (answered, socket) => {
          if (answered.statusCode !== 200) return resolve(String(answered.statusCode));
          const through = { agent: undefined, createConnection: () => socket };
          post("http://acme.example/", "text", through).then(resolve, resolve);
        })
        .on("error", (error: NodeJS.ErrnoException) => resolve(error.code ?? error.message))
        .end();
    });
  }

  test("tunnels every name to one port", async () => {
    const server = await serve({ onRequest: answer(200, "taken") });
    const proxy = await startScriptedProxy({ kind: "tunnels", port: server.port });
    onTestFinished(proxy.close);
    expect(await postThrough(proxy.url)).toBe("200 taken");
    expect(proxy.heads).toEqual([expect.stringMatching(/^CONNECT acme\.example:80 HTTP\/1\.1\r\n/)]);
    expect([proxy.connections(), server.requests.length]).toEqual([1, 1]);
  });

  test.each([
    [{ kind: "answers", status: 407 }, "407"],
    [{ kind: "drops" }, "ECONNRESET"],
    [{ kind: "cuts" }, "ECONNRESET"],
  ] as const)("%j ends in %s", async (behaviour, expected) => {
    const proxy = await startScriptedProxy(behaviour);
    onTestFinished(proxy.close);
    expect(await postThrough(proxy.url)).toBe(expected);
  });
});
