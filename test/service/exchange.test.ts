import type { TlsOptions } from "node:tls";
import { buildConnector, Client, type Dispatcher } from "undici";
import { describe, expect, it, onTestFinished } from "vitest";
import { openDispatcher, withoutContinue } from "../../src/service/connection.ts";
import { exchange } from "../../src/service/exchange.ts";
import { selfSigned } from "../support/certificates.ts";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";

const over = AbortSignal.abort();

const serve = (onRequest: Script) => startScriptedServer({ onRequest });

type Signals = Partial<Parameters<typeof exchange>[2]>;

async function attempt(origin: string, signals?: Signals) {
  return attemptBy(await openDispatcher(origin, undefined), origin, signals);
}

async function attemptBy(dispatcher: Dispatcher, origin: string, signals: Signals = {}) {
  onTestFinished(() => dispatcher.destroy());
  const request = { origin, path: "/send", headers: { "content-type": "application/json" }, body: "{}" };
  const never = new AbortController().signal;
  return exchange(dispatcher, request, { deadline: never, stop: never, ...signals });
}

/** Attempts a request at a server with this script. */
async function attemptAt(script: Script, signals?: Signals) {
  return attempt((await serve(script)).url, signals);
}

/** Answers 200 with this body and head. */
function answer(body: string, head = ""): Script {
  return (socket) => void socket.write(`HTTP/1.1 200 OK\r\n${head}content-length: ${body.length}\r\n\r\n${body}`);
}

describe("an answer", () => {
  it.each([0, 1, 64 * 1024])("of %d bytes is taken whole", async (length) => {
    const result = await attemptAt(answer("x".repeat(length)));
    expect(result).toMatchObject({ kind: "answered", answer: { status: 200 } });
    expect(result.kind === "answered" && result.body.toString()).toBe("x".repeat(length));
  });

  it("of more than 64 KiB is broken off, with its status", async () => {
    const result = await attemptAt(answer("x".repeat(64 * 1024 + 1)));
    expect(result).toMatchObject({ kind: "broken", why: { kind: "too-large" }, answer: { status: 200 } });
  });

  it.each([
    [15.5, "answered"],
    [16.5, "broken"],
  ])("with a head of %d KiB is %s", async (size, kind) => {
    expect(await attemptAt(answer("{}", `x: ${"x".repeat(size * 1024)}\r\n`))).toMatchObject({ kind });
  });

  it.each(["102 Processing", "103 Early Hints", "199 Odd"])(
    "that comes after %s is the one that counts",
    async (line) => {
      const result = await attemptAt((socket, ...rest) => {
        socket.write(`HTTP/1.1 ${line}\r\n\r\n`);
        answer("{}")(socket, ...rest);
      });
      expect(result).toMatchObject({ kind: "answered", answer: { status: 200 } });
    },
  );
});

describe("a 100 Continue that nobody asked for", () => {
  const interim = "HTTP/1.1 100 Continue\r\nx: 1\r\n\r\n";
  const final = "HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\n{}";

  it.each([
    ["in one piece with the answer", [interim + final]],
    ["before the answer", [interim, final]],
    ["twice", [interim + interim, final]],
    ["byte by byte", Array.from(interim + final)],
  ])("is read past, %s", async (_, pieces) => {
    const server = await serve(async (socket) => {
      for (const piece of pieces) {
        socket.write(piece);
        await new Promise((resolve) => void setTimeout(resolve, 2));
      }
    });
    expect(await attempt(server.url)).toMatchObject({ kind: "answered", answer: { status: 200 } });
  });

  it("through TLS is read past", async () => {
    const server = await startScriptedServer({
      tls: selfSigned({ names: ["127.0.0.1"] }),
      onRequest: (socket) => void socket.write(interim + final),
    });
    const connect = withoutContinue(buildConnector({ rejectUnauthorized: false, allowH2: false }));
    const origin = server.url.replace("http:", "https:");
    expect(await attemptBy(new Client(origin, { connect, pipelining: 0 }), origin)).toMatchObject({ kind: "answered" });
  });

  it.each([
    ["the end", interim],
    ["half of an answer", `${interim}HTTP/1.1 2`],
    ["what is no answer", `${interim}HTTP/1.1 1000 Odd\r\n\r\n`],
    ["a head that does not end", `HTTP/1.1 100 Continue\r\n${"x: 1\r\n".repeat(3000)}`],
  ])("is no answer if %s follows", async (_, bytes) => {
    const result = await attemptAt((socket) => void socket.end(bytes));
    expect(result).toMatchObject({ kind: "broken", answer: undefined });
  });
});

describe("an attempt", () => {
  /** Starts a TLS server that chooses the protocol so, and returns its URL. */
  const serveTls = async (ALPNCallback: TlsOptions["ALPNCallback"]) =>
    (await startScriptedServer({ tls: { ...selfSigned({ names: ["localhost"] }), ALPNCallback } })).url;

  it("that was stopped while it connected is not written to the connection", async () => {
    const server = await serve(answer("{}"));
    const stop = new AbortController();
    const connector = buildConnector({});
    const connect: buildConnector.connector = (options, callback) =>
      connector(options, (...result) => {
        stop.abort();
        callback(...result);
      });
    const client = new Client(server.url, { connect });

    expect(await attemptBy(client, server.url, { stop: stop.signal })).toMatchObject({ kind: "unreached" });
    expect(await attemptBy(client, server.url)).toMatchObject({ kind: "answered" });
    expect(server.requests).toHaveLength(1);
  });

  it("over TLS offers only HTTP/1.1, and a refusal has its reason without addresses and source files", async () => {
    const offers: string[] = [];
    const url = await serveTls(({ protocols }) => void offers.push(...protocols));

    const result = await attempt(url);

    const message = expect.stringMatching(/^[a-z0-9 ]*no application protocol$/) as unknown;
    expect(result).toMatchObject({ kind: "unreached", why: { message } });
    expect(offers).toEqual(["http/1.1"]);
  });

  it.each([
    ["its deadline is over", { deadline: over }, "deadline"],
    ["it was stopped", { stop: over }, "stopped"],
  ])("opens no connection if %s before", async (_, signals, why) => {
    const server = await serve(() => {});
    expect(await attempt(server.url, signals)).toEqual({ kind: "unreached", why: { kind: why } });
    expect(server.connections()).toBe(0);
  });

  it.each([
    ["deadline", "deadline"],
    ["stop", "stopped"],
  ])("in doubt is broken off by its signal %s", async (name, why) => {
    const signal = new AbortController();
    const result = await attemptAt(() => signal.abort(), { [name]: signal.signal });
    expect(result).toEqual({ kind: "broken", why: { kind: why }, answer: undefined });
  });

  it.each(["deadline", "stop"])("that waits for its connection ends at once by its signal %s", async (name) => {
    const signal = new AbortController();
    const server = await startScriptedServer({ onConnection: () => signal.abort() });
    // The server never takes part in TLS.
    const result = await attempt(server.url.replace("http:", "https:"), { [name]: signal.signal });
    expect(result).toEqual({ kind: "unreached", why: { kind: name === "deadline" ? "deadline" : "stopped" } });
  });

  it.each(["http://127.0.0.1:1", "http://localhost:1"])(
    "at %s, where nobody listens, has the code of that",
    async (origin) => {
      expect(await attempt(origin)).toMatchObject({
        kind: "unreached",
        why: { kind: "network", code: "ECONNREFUSED", message: expect.stringContaining("ECONNREFUSED") },
      });
    },
  );
});
