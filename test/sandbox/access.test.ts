import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { exchange, hello, runSandbox, testKey } from "./running.ts";

type Headers = Readonly<Record<string, string>>;

const key = { authorization: testKey };

/** What a sandbox answers to a request from another machine, which knows it by the name `sms-sandbox`. */
async function ask({ url }: Sandbox, path: string, more: Headers = {}) {
  const body = path.startsWith("/api") ? JSON.stringify(hello) : undefined;
  const method = body === undefined ? "GET" : "POST";
  const headers = { host: "sms-sandbox:4010", "content-type": "application/json", ...more };
  const outgoing = request(new URL(path, url), { method, headers, agent: false }).end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

describe("a sandbox that serves other machines", () => {
  const serve = () => runSandbox({ host: "0.0.0.0", newId: randomUUID });

  it("accepts sends by any name, but none from a page of another site", async () => {
    const sandbox = await serve();
    const send = "/api/v1/sms/send";

    expect((await ask(sandbox, send, key)).status).toBe(200);
    expect((await ask(sandbox, send, { ...key, origin: "http://sms-sandbox:4010" })).status).toBe(200);
    for (const origin of ["http://evil.example", "http://evil.example//sms-sandbox:4010"]) {
      expect((await ask(sandbox, send, { ...key, origin })).status).toBe(403);
    }
  });

  it.each(["/", "/_sandbox/messages", "/_sandbox/inbox/app.js", "/_sandbox/inbox", "/_sandbox/nothing"])(
    "shows %s to nobody without the token",
    async (path) => {
      const sandbox = await serve();
      const cookies = ["sandbox_token_4010=", `other=${sandbox.token}`].map((cookie) => ({ cookie }));

      for (const headers of [{}, key, ...cookies]) expect((await ask(sandbox, path, headers)).status).toBe(401);
      expect((await ask(sandbox, `${path}?token=${randomUUID()}`)).status).toBe(401);
    },
  );

  it("takes the token as Bearer token, in the address of the page, and as the cookie that this gives", async () => {
    const sandbox = await serve();
    const messages = "/_sandbox/messages";
    const page = await ask(sandbox, `/?token=${sandbox.token}`);
    const cookie = String(page.headers["set-cookie"]);
    const atAnotherPort = await ask(sandbox, `/?token=${sandbox.token}`, { host: "sms-sandbox:4011" });

    expect((await ask(sandbox, messages, { authorization: `Bearer ${sandbox.token}` })).status).toBe(200);
    expect((await ask(sandbox, `${messages}?token=${sandbox.token}`)).status).toBe(401);
    expect(page).toMatchObject({ status: 303, headers: { location: "/" } });
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect((await ask(sandbox, "/", { cookie: `a=b; ${cookie.split(";")[0]}` })).body).toContain("<!doctype html>");
    // A browser has one cookie of a name for all ports of a machine, and two sandboxes may serve there.
    expect(String(atAnotherPort.headers["set-cookie"]).split("=")[0]).not.toBe(cookie.split("=")[0]);
  });

  it("says to anyone that it is healthy", async () => {
    expect(await ask(await serve(), "/healthz")).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });
});

describe("a private sandbox on loopback", () => {
  it("gives pages and messages only with its token and by its own names, and takes sends without", async () => {
    const sandbox = await runSandbox({ isPrivate: true });
    const host = "127.0.0.1";
    const authorization = `Bearer ${sandbox.token}`;

    for (const path of ["/", "/_sandbox/messages", "/_sandbox/openapi.yaml"]) {
      expect((await ask(sandbox, path, { host })).status).toBe(401);
    }
    expect((await ask(sandbox, "/_sandbox/messages", { host, authorization })).status).toBe(200);
    expect((await ask(sandbox, "/_sandbox/messages", { authorization })).status).toBe(403);
    expect((await ask(sandbox, "/api/v1/sms/send", { ...key, host })).status).toBe(200);
  });
});

describe("a sandbox of this machine", () => {
  /** The status and the error of an answer to a request with those headers. */
  async function answerTo(sandbox: Sandbox, line: string, headers: Headers) {
    const body = JSON.stringify(hello);
    const fields = {
      Host: "localhost",
      Authorization: testKey,
      "Content-Type": "application/json",
      "Content-Length": String(body.length),
      Connection: "close",
      ...headers,
    };
    const lines = Object.entries(fields).map(([name, value]) => `${name}: ${value}\r\n`);
    const answer = await exchange(sandbox, `${line} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
    const [head = "", json = ""] = answer.split("\r\n\r\n");
    return { status: Number(head.slice(9, 12)), error: head.includes(" 403 ") ? JSON.parse(json).error : undefined };
  }

  const lines = ["POST /api/v1/sms/send", "GET /", "GET /_sandbox/inbox/app.js", "GET /_sandbox/messages"];

  it.each<Headers>([
    { Host: "LOCALHOST:4010" },
    { Host: "127.0.0.1:4010" },
    { Host: "[::1]:4010" },
    { Host: "127.0.0.2:4010" },
    { Origin: "http://localhost" },
    { Host: "127.0.0.1:4010", Origin: "http://127.0.0.1:4010", "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "none" },
  ])("answers a request with %j", async (headers) => {
    const sandbox = await runSandbox();
    for (const line of lines) expect((await answerTo(sandbox, line, headers)).status).toBe(200);
  });

  it.each<[Headers, string]>([
    [{ Host: "evil.example" }, "Host"],
    [{ Host: "localhost.evil.example" }, "Host"],
    [{ Host: "127.0.0.1.evil.example:4010" }, "Host"],
    [{ Host: "evil.example:127.0.0.1" }, "Host"],
    [{ Host: "" }, "Host"],
    [{ Origin: "http://localhost.evil.example" }, "Origin"],
    [{ Origin: "null" }, "Origin"],
    [{ Origin: "http://localhost:3000" }, "Origin"],
    [{ Origin: "http://127.0.0.1", "Sec-Fetch-Site": "none" }, "Origin"],
    [{ "Sec-Fetch-Site": "cross-site" }, "Sec-Fetch-Site"],
    [{ "Sec-Fetch-Site": "same-site" }, "Sec-Fetch-Site"],
  ])("refuses one with %j because of its %s", async (headers, reason) => {
    const sandbox = await runSandbox();
    for (const line of [...lines, "POST /_sandbox/reset", "GET /nowhere"]) {
      const error = expect.stringMatching(new RegExp(`^${reason} `));
      expect(await answerTo(sandbox, line, headers)).toEqual({ status: 403, error });
    }
    expect(sandbox.messages()).toEqual([]);
  });

  it("goes by the name in an absolute target, as a proxy's client sends it", async () => {
    const sandbox = await runSandbox();
    const target = (host: string) => `POST http://${host}/api/v1/sms/send`;

    expect((await answerTo(sandbox, target("localhost:4010"), { Host: "localhost:4010" })).status).toBe(200);
    expect((await answerTo(sandbox, target("evil.example"), { Host: "localhost" })).status).toBe(403);
  });
});
