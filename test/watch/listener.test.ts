import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { text } from "node:stream/consumers";
import { onTestFinished, describe, expect, it } from "vitest";
import { invalidOption } from "../../src/errors.ts";
import { listen } from "../../src/watch/listener.ts";
import { trials } from "../support/trials.ts";
import { alertmanager, grafana, uptimeKuma } from "./bodies.ts";

type Options = Partial<Parameters<typeof listen>[0]>;

/** A listener that gathers in a list; closed at the end of the test. */
async function runListener({ limits, ...options }: Options = {}) {
  const lines: string[] = [];
  const kinds: (string | undefined)[] = [];
  const state: { obstacle?: string; now: number } = { now: 0 };
  const listener = await listen({
    address: "127.0.0.1:0",
    token: undefined,
    gatherer: {
      add: (line, kind) => {
        lines.push(line);
        kinds.push(kind);
      },
      obstacle: () => state.obstacle,
    },
    now: () => state.now,
    limits: { closeTime: 50, ...limits },
    ...options,
  });
  onTestFinished(() => listener.close());
  const { port } = new URL(listener.url);
  return { ...listener, lines, kinds, state, port: Number(port) };
}

type Running = Awaited<ReturnType<typeof runListener>>;

/** Posts a body as it is, or a value as JSON; returns the status and the answer. */
async function post(
  { url }: Running,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<readonly [number, unknown]> {
  const answer = await fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: typeof body === "string" || body instanceof Uint8Array ? body : JSON.stringify(body),
  });
  return [answer.status, await answer.json()];
}

async function open({ port }: Running): Promise<Socket> {
  const socket = connect(port, "127.0.0.1");
  await once(socket, "connect");
  // A reset ends what is read.
  socket.on("error", () => {});
  onTestFinished(() => void socket.destroy());
  return socket;
}

/** Writes these bytes on a new connection and returns all bytes that come back until it ends. */
async function exchange(listener: Running, bytes: string): Promise<string> {
  const socket = await open(listener);
  socket.write(bytes);
  return text(socket).catch(() => "");
}

function request(body: string, headers = "", method = "POST /"): string {
  const length = Buffer.byteLength(body);
  return `${method} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}Content-Length: ${length}\r\n\r\n${body}`;
}

const last = "Connection: close\r\n";

describe("a listener", () => {
  it("gathers what Alertmanager, Grafana, Uptime Kuma and scripts post", async () => {
    const listener = await runListener();
    expect(await post(listener, alertmanager)).toEqual([202, { gathered: 2, repeated: 0 }]);
    expect(await post(listener, grafana)).toEqual([202, { gathered: 1, repeated: 0 }]);
    expect(await post(listener, uptimeKuma)).toEqual([202, { gathered: 1, repeated: 0 }]);
    expect(await post(listener, { text: "disk full" })).toEqual([202, { gathered: 1, repeated: 0 }]);
    expect(listener.lines.map((line) => line.split(" ")[0])).toEqual([
      "HighErrorRate",
      "resolved:",
      "TestAlert",
      "Website",
      "disk",
    ]);
    expect(listener.kinds.at(-1)).toBeUndefined();
  });

  it("answers that it is healthy, without a token and to any name", async () => {
    const listener = await runListener({ token: "secret" });
    listener.state.obstacle = "the account has no credits";
    const answer = await fetch(`${listener.url}/healthz`);
    expect([answer.status, await answer.json()]).toEqual([200, { status: "ok" }]);
    expect(await exchange(listener, `HEAD /healthz HTTP/1.1\r\nHost: sms\r\n${last}\r\n`)).toMatch(
      /^HTTP\/1.1 200 .*\r\n\r\n$/s,
    );
    expect((await fetch(`${listener.url}/healthz`, { method: "POST" })).status).toBe(405);
  });

  it.each<[string, unknown, Readonly<Record<string, string>>, number, RegExp]>([
    ["not JSON", "{", {}, 400, /not a notification/],
    ["JSON twice", '{"text":"a"}{"text":"b"}', {}, 400, /not a notification/],
    ["nothing", "", {}, 400, /not a notification/],
    ["not UTF-8", Buffer.from('{"text":"caf\xe9"}', "latin1"), {}, 400, /not a notification/],
    ["an unknown shape", { message: "hi" }, {}, 400, /Alertmanager \(version 4\), Grafana or Uptime Kuma, or/],
    ["nested deep", "[".repeat(200_000) + "]".repeat(200_000), {}, 400, /not a notification/],
    ["one bad alert of two", { ...alertmanager, alerts: [alertmanager.alerts[0], {}] }, {}, 400, /not a notification/],
    ["over 1 MB", { text: "x".repeat(2 ** 20) }, {}, 413, /over 1048576 bytes/],
    ["a form of a page", "text=hi", { "content-type": "application/x-www-form-urlencoded" }, 415, /application\/json/],
    ["multipart, of Uptime Kuma", "--x", { "content-type": "multipart/form-data; boundary=x" }, 415, /Uptime Kuma/],
    ["text of a page", '{"text":"hi"}', { "content-type": "text/plain" }, 415, /application\/json/],
    ["compressed", { text: "hi" }, { "content-encoding": "gzip" }, 415, /compressed/],
    ["a page of another site", { text: "hi" }, { origin: "https://example.com" }, 403, /Origin/],
    ["another port of this machine", { text: "hi" }, { "sec-fetch-site": "same-site" }, 403, /Sec-Fetch-Site/],
  ])("refuses %s, and changes nothing", async (_, body, headers, status, error) => {
    const listener = await runListener();
    expect(await post(listener, body, headers)).toEqual([status, { error: expect.stringMatching(error) }]);
    expect(listener.lines).toEqual([]);
  });

  it("takes the last of two equal names, as other readers do", async () => {
    const listener = await runListener();
    await post(listener, '{"text":"a","text":"b"}');
    expect(listener.lines).toEqual(["b"]);
  });

  it("has no other path and no other method", async () => {
    const { url, lines } = await runListener();
    const read = await fetch(url);
    expect([read.status, read.headers.get("allow")]).toEqual([405, "POST"]);
    expect((await fetch(`${url}/alerts`, { method: "POST", body: "{}" })).status).toBe(404);
    expect((await fetch(`${url}/?token=x`, { method: "PUT", body: "{}" })).status).toBe(405);
    expect(lines).toEqual([]);
  });

  it("answers no name that a page could have pointed at this machine", async () => {
    const listener = await runListener();
    const rebound = request('{"text":"hi"}', last).replace("Host: localhost", "Host: evil.example");
    expect(await exchange(listener, rebound)).toMatch(/^HTTP\/1.1 403 .*Host must be/s);
    expect(listener.lines).toEqual([]);
  });
});

describe("the token", () => {
  it("is needed to listen for other machines", async () => {
    for (const address of ["0.0.0.0:0", "[::]:0", "192.0.2.1:0"]) {
      await expect(runListener({ address })).rejects.toMatchObject({
        kind: "usage",
        errorCode: "NO_WATCH_TOKEN",
        message: `--listen ${address} is open to other machines, and SMS_WATCH_TOKEN is not set`,
      });
    }
  });

  it.each([
    undefined,
    "Bearer",
    "Bearer ",
    "Bearer wrong",
    "Bearer secrets",
    "Basic secret",
    "secret",
    "Bearer  secret x",
  ])("is not %j", async (authorization) => {
    const listener = await runListener({ address: "0.0.0.0:0", token: "secret" });
    const headers: Readonly<Record<string, string>> = authorization === undefined ? {} : { authorization };
    const [status] = await post(listener, { text: "hi" }, headers);
    expect([status, listener.lines]).toEqual([401, []]);
  });

  it("lets other machines post by any name, and on this machine is needed if it is set", async () => {
    for (const address of ["0.0.0.0:0", "127.0.0.1:0"]) {
      const listener = await runListener({ address, token: "secret" });
      expect((await post(listener, { text: "hi" }, { authorization: "bearer secret" }))[0]).toBe(202);
      expect((await post(listener, { text: "hi" }))[0]).toBe(401);
      expect(listener.lines).toEqual(["hi"]);
    }
    const others = await runListener({ address: "0.0.0.0:0", token: "secret" });
    const named = request('{"text":"hi"}', `Authorization: Bearer secret\r\n${last}`).replace("localhost", "sms:9876");
    expect(await exchange(others, named)).toMatch(/^HTTP\/1.1 202 /);
  });

  it("is asked for before anything of the body is read", async () => {
    const listener = await runListener({ token: "secret" });
    const socket = await open(listener);
    socket.write(request("x".repeat(5000)).slice(0, 200));
    const [answer] = await once(socket, "data");
    expect(String(answer)).toMatch(/^HTTP\/1.1 401 .*WWW-Authenticate: Bearer\r\nConnection: close\r\n/s);
  });
});

describe("the address", () => {
  it.each([
    "9876",
    ":9876",
    "localhost",
    "127.0.0.1",
    "127.0.0.1:",
    "example.com:80",
    "::1:80",
    "127.0.0.1:65536",
    "[127.0.0.1",
    "",
  ])("is not %j", async (address) => {
    const hint = "write it as 127.0.0.1:9876 for this machine, or 0.0.0.0:9876 for others too";
    const error = invalidOption(`--listen ${JSON.stringify(address)} is not an IP address and a port`, hint);
    await expect(runListener({ address })).rejects.toEqual(error);
  });

  it("is 127.0.0.1 for localhost, and may be taken", async () => {
    const { url, port } = await runListener({ address: "localhost:0" });
    expect(url).toBe(`http://127.0.0.1:${port}`);
    await expect(runListener({ address: `127.0.0.1:${port}` })).rejects.toMatchObject({ errorCode: "PORT_IN_USE" });
  });
});

describe("what senders repeat", () => {
  it("is one line, while it lasts and when it resolves", async () => {
    const listener = await runListener();
    const [firing] = alertmanager.alerts;
    const tell = (alert: object) => post(listener, { ...alertmanager, alerts: [alert] });
    await tell({ ...firing });
    for (let day = 0; day < 10; day++) {
      listener.state.now += 24 * 60 * 60_000;
      // What a summary measures may change.
      await tell({ ...firing, annotations: { summary: `error rate is ${day} %` } });
    }
    expect(listener.lines).toHaveLength(1);
    await tell({ ...firing, status: "resolved" });
    await tell({ ...firing, status: "resolved" });
    expect(listener.lines).toHaveLength(2);
    await tell({ ...firing, startsAt: "2026-11-22T22:00:00Z" });
    expect(listener.lines).toHaveLength(3);
  });

  it("is one line for a monitor of Uptime Kuma that stays down", async () => {
    const listener = await runListener();
    const tell = (heartbeat: object) =>
      post(listener, { ...uptimeKuma, heartbeat: { ...uptimeKuma.heartbeat, ...heartbeat } });
    await tell({});
    await tell({});
    await tell({ time: "2026-11-22 21:14:11.021", important: false });
    expect(listener.lines).toHaveLength(1);
    // That it was up between them was not heard.
    await tell({ time: "2026-11-22 21:24:11.021" });
    await tell({ time: "2026-11-22 21:34:11.021", important: false });
    await tell({ time: "2026-11-22 21:44:11.021", status: 1 });
    await tell({ time: "2026-11-22 21:54:11.021", important: false });
    expect(listener.lines).toHaveLength(4);
    // Another instance has a monitor with the same number.
    await post(listener, { ...uptimeKuma, monitor: { ...uptimeKuma.monitor, name: "Database" } });
    await tell({ time: "2026-11-22 21:55:11.021", important: false });
    expect(listener.lines).toHaveLength(5);
  });

  it("is forgotten a week after the last of it, or once there is too much", async () => {
    const listener = await runListener({ limits: { alerts: 100 } });
    await post(listener, grafana);
    listener.state.now = 7 * 24 * 60 * 60_000 - 1;
    await post(listener, grafana);
    expect(listener.lines).toHaveLength(1);
    listener.state.now *= 2.1;
    await post(listener, grafana);
    expect(listener.lines).toHaveLength(2);
    const alerts = Array.from({ length: 100 }, (_, index) => ({
      status: "firing",
      startsAt: "",
      fingerprint: `${index}`,
    }));
    expect(await post(listener, { version: "4", alerts })).toEqual([202, { gathered: 100, repeated: 0 }]);
    expect(await post(listener, { version: "4", alerts })).toEqual([202, { gathered: 0, repeated: 100 }]);
    expect(await post(listener, { text: "hi" })).toEqual([202, { gathered: 1, repeated: 0 }]);
    expect(await post(listener, grafana)).toEqual([202, { gathered: 1, repeated: 0 }]);
  });

  it("is forgotten after what was heard of earlier", async () => {
    const listener = await runListener({ limits: { alerts: 2 } });
    const tell = async (fingerprint: string) => {
      const alerts = [{ status: "firing", startsAt: "", fingerprint }];
      await post(listener, { version: "4", alerts });
      return listener.lines.length;
    };
    expect([await tell("a"), await tell("b"), await tell("a"), await tell("c"), await tell("a")]).toEqual([
      1, 2, 2, 3, 3,
    ]);
  });

  it("counts each text of a script", async () => {
    const listener = await runListener();
    await post(listener, { text: "hi" });
    await post(listener, { text: "hi" });
    expect(listener.lines).toEqual(["hi", "hi"]);
  });
});

describe("while nothing can be sent", () => {
  it("has senders try again, gathers nothing, and gathers it once they do", async () => {
    const listener = await runListener();
    listener.state.obstacle = "the account has no credits";
    const answer = await fetch(listener.url, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(alertmanager),
    });
    expect([answer.status, answer.headers.get("retry-after"), await answer.json()]).toEqual([
      503,
      "60",
      { error: "the account has no credits" },
    ]);
    expect((await post(listener, { not: "known" }))[0]).toBe(400);
    expect(listener.lines).toEqual([]);
    delete listener.state.obstacle;
    expect(await post(listener, alertmanager)).toEqual([202, { gathered: 2, repeated: 0 }]);
  });
});

describe("the limits", () => {
  it("allow a burst and a rate, of senders with the token alone", async () => {
    const listener = await runListener({ token: "secret", limits: { burst: 2, rate: 10 } });
    const authorization = "Bearer secret";
    for (let index = 0; index < 5; index++) expect((await post(listener, { text: "x" }))[0]).toBe(401);
    const tell = async () => (await post(listener, { text: "hi" }, { authorization }))[0];
    expect([await tell(), await tell(), await tell()]).toEqual([202, 202, 503]);
    listener.state.now += 100;
    expect([await tell(), await tell()]).toEqual([202, 503]);
    expect(listener.lines).toHaveLength(3);
  });

  it("hold for a body that does not say how long it is", async () => {
    const listener = await runListener({ limits: { bytes: 1000 } });
    const head =
      "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n";
    const chunk = `64\r\n${"x".repeat(100)}\r\n`;
    const socket = await open(listener);
    socket.write(head + chunk.repeat(10));
    const answered = once(socket, "data");
    socket.write(chunk);
    expect(String((await answered)[0])).toMatch(/^HTTP\/1.1 413 /);
    // The sender may go on writing, and then post again.
    socket.write(`${chunk}0\r\n\r\n${request('{"text":"next"}', last)}`);
    expect(await text(socket)).toMatch(/^HTTP\/1.1 202 /);
    expect(listener.lines).toEqual(["next"]);
  });

  it("hold for all bodies together", async () => {
    const listener = await runListener({ limits: { allBytes: 1000 } });
    const half = await open(listener);
    half.write(request("x".repeat(990)).slice(0, -40));
    await expect.poll(async () => (await post(listener, { text: "x".repeat(200) }))[0]).toBe(503);
    half.destroy();
    await expect.poll(async () => (await post(listener, { text: "y".repeat(200) }))[0]).toBe(202);
  });

  it("cut off who does not finish headers or a body in time", async () => {
    const listener = await runListener({ limits: { headersTime: 200, requestTime: 400 } });
    const begun = request('{"text":"hi"}');
    const slow = ["", "POST / HT", begun.slice(0, -1)].map((bytes) => exchange(listener, bytes));
    for (const answer of await Promise.all(slow)) expect(answer).toMatch(/^(HTTP\/1.1 408 |$)/);
    expect(listener.lines).toEqual([]);
    expect((await post(listener, { text: "hi" }))[0]).toBe(202);
  });

  it("let no more than so many connect", async () => {
    const listener = await runListener({ limits: { connections: 1 } });
    const first = await open(listener);
    expect(await exchange(listener, request('{"text":"hi"}', last))).toBe("");
    first.write(request('{"text":"hi"}', last));
    expect(await text(first)).toMatch(/^HTTP\/1.1 202 /);
  });
});

const many = trials("POSTS", 200, 1000);

describe("connections", () => {
  it("answer pipelined requests in their order", async () => {
    const listener = await runListener();
    const bodies = ['{"text":"a"}', "{", '{"text":"b"}'];
    const answers = await exchange(
      listener,
      bodies.map((body, index) => request(body, index === 2 ? last : "")).join(""),
    );
    expect(answers.match(/HTTP\/1.1 \d+/g)).toEqual(["HTTP/1.1 202", "HTTP/1.1 400", "HTTP/1.1 202"]);
    expect(listener.lines).toEqual(["a", "b"]);
  });

  it("gather all that come at once", async () => {
    const listener = await runListener();
    const posts = Array.from({ length: many }, (_, index) =>
      exchange(listener, request(JSON.stringify({ text: `line ${index}` }), last)),
    );
    const answers = await Promise.all(posts);
    expect(answers.filter((answer) => answer.startsWith("HTTP/1.1 202 "))).toHaveLength(many);
    expect(new Set(listener.lines).size).toBe(many);
  });

  it("gather nothing of a body that was cut off, and survive what is not HTTP", async () => {
    const listener = await runListener();
    const cut = await open(listener);
    cut.end(request('{"text":"hi"}').slice(0, -1));
    await once(cut.resume(), "close");
    for (const bytes of [
      "\0\0\0",
      "GET\r\n\r\n",
      "POST / HTTP/9\r\n\r\n",
      `X: ${"x".repeat(100_000)}`,
      "\x16\x03\x01\x02\0",
    ]) {
      expect(await exchange(listener, `${bytes}\r\n\r\n`)).toMatch(/^(HTTP\/1.1 4\d\d |$)/);
    }
    expect(listener.lines).toEqual([]);
    expect((await post(listener, { text: "hi" }))[0]).toBe(202);
  });
});

describe("closing", () => {
  it("gathers what is under way, and nothing new", async () => {
    const listener = await runListener();
    const [begun, idle] = [await open(listener), await open(listener)];
    const bytes = request('{"text":"under way"}');
    begun.write(bytes.slice(0, -5));
    idle.write(request('{"text":"first"}'));
    await once(idle, "data");
    const closed = listener.close();
    begun.write(bytes.slice(-5));
    expect(await text(begun)).toMatch(/^HTTP\/1.1 202 .*Connection: close/s);
    await closed;
    expect(listener.lines).toEqual(["first", "under way"]);
    await expect(post(listener, { text: "late" })).rejects.toThrow("fetch failed");
  });

  it("waits for no sender that stalls", async () => {
    const listener = await runListener({ limits: { closeTime: 50 } });
    const stalled = await open(listener);
    stalled.write(request('{"text":"hi"}').slice(0, -1));
    await listener.close();
    expect(listener.lines).toEqual([]);
  });
});
