import { randomUUID } from "node:crypto";
import { once } from "node:events";
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { hello, runSandbox, testKey } from "./running.ts";

type Headers = Readonly<Record<string, string>>;

const key = { authorization: testKey };
const send = "POST /api/v1/sms/send";
const messages = "GET /_sandbox/messages";

/** Asks a sandbox as another machine does, which knows it by the name `sms-sandbox`. */
async function ask({ url }: Sandbox, line: string, more: Headers = {}) {
  const [method = "", path = ""] = line.split(" ");
  const headers = { host: "sms-sandbox:4010", "content-type": "application/json", ...more };
  const outgoing = request(url, { method, path, headers, agent: false });
  outgoing.end(method === "POST" ? JSON.stringify(hello) : undefined);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return { status: answer.statusCode, headers: answer.headers, body: await text(answer) };
}

describe("a sandbox that serves other machines", () => {
  const serve = () => runSandbox({ host: "0.0.0.0", newId: randomUUID });

  it("accepts sends by any name, but none from a page of another site", async () => {
    const sandbox = await serve();

    expect((await ask(sandbox, send, key)).status).toBe(200);
    expect((await ask(sandbox, send, { ...key, origin: "http://sms-sandbox:4010" })).status).toBe(200);
    for (const origin of ["http://evil.example", "http://evil.example//sms-sandbox:4010"])
      expect((await ask(sandbox, send, { ...key, origin })).status).toBe(403);
  });

  it("shows nothing to anybody without the token, except that it is healthy", async () => {
    const sandbox = await serve();
    const cookies = ["sandbox_token_4010=", `other=${sandbox.token}`].map((cookie) => ({ cookie }));

    for (const line of ["GET /", messages, "GET /_sandbox/inbox/app.js", "GET /_sandbox/inbox", "GET /_sandbox/none"]) {
      for (const headers of [{}, key, ...cookies]) expect((await ask(sandbox, line, headers)).status).toBe(401);
      expect((await ask(sandbox, `${line}?token=${randomUUID()}`)).status).toBe(401);
    }
    expect(await ask(sandbox, "GET /healthz")).toMatchObject({ status: 200, body: '{"status":"ok"}' });
  });

  it("takes the token as Bearer token, in the address of the page, and as the cookie that this gives", async () => {
    const sandbox = await serve();

    const page = await ask(sandbox, `GET /?token=${sandbox.token}`);
    const atAnotherPort = await ask(sandbox, `GET /?token=${sandbox.token}`, { host: "sms-sandbox:4011" });
    const cookie = String(page.headers["set-cookie"]);

    expect((await ask(sandbox, messages, { authorization: `Bearer ${sandbox.token}` })).status).toBe(200);
    expect((await ask(sandbox, `${messages}?token=${sandbox.token}`)).status).toBe(401);
    expect(page).toMatchObject({ status: 303, headers: { location: "/" } });
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect((await ask(sandbox, "GET /", { cookie: `a=b; ${cookie.split(";")[0]}` })).body).toContain("<!doctype html>");
    // A browser has one cookie of a name for all ports of a machine, and two sandboxes may serve there.
    expect(String(atAnotherPort.headers["set-cookie"]).split("=")[0]).not.toBe(cookie.split("=")[0]);
  });
});

it("a private sandbox on loopback needs its token and its own name for all but sends", async () => {
  const sandbox = await runSandbox({ isPrivate: true });
  const host = "127.0.0.1";
  const authorization = `Bearer ${sandbox.token}`;

  for (const line of ["GET /", messages, "GET /_sandbox/openapi.yaml"])
    expect((await ask(sandbox, line, { host })).status).toBe(401);
  expect((await ask(sandbox, messages, { host, authorization })).status).toBe(200);
  expect((await ask(sandbox, messages, { authorization })).status).toBe(403);
  expect((await ask(sandbox, send, { ...key, host })).status).toBe(200);
});

describe("a sandbox of this machine", () => {
  const lines = [send, "GET /", "GET /_sandbox/inbox/app.js", messages];
  const own = { ...key, host: "localhost" };

  it.each<Headers>([
    { host: "LOCALHOST:4010" },
    { host: "127.0.0.1:4010" },
    { host: "[::1]:4010" },
    { host: "127.0.0.2:4010" },
    { origin: "http://localhost" },
    { host: "127.0.0.1:4010", origin: "http://127.0.0.1:4010", "sec-fetch-site": "same-origin" },
    { "sec-fetch-site": "none" },
  ])("answers a request with %j", async (headers) => {
    const sandbox = await runSandbox();
    for (const line of lines) expect((await ask(sandbox, line, { ...own, ...headers })).status).toBe(200);
  });

  it.each<[Headers, string]>([
    [{ host: "evil.example" }, "Host"],
    [{ host: "localhost.evil.example" }, "Host"],
    [{ host: "127.0.0.1.evil.example:4010" }, "Host"],
    [{ host: "evil.example:127.0.0.1" }, "Host"],
    [{ host: " " }, "Host"],
    [{ origin: "http://localhost.evil.example" }, "Origin"],
    [{ origin: "null" }, "Origin"],
    [{ origin: "http://localhost:3000" }, "Origin"],
    [{ origin: "http://127.0.0.1", "sec-fetch-site": "none" }, "Origin"],
    [{ "sec-fetch-site": "cross-site" }, "Sec-Fetch-Site"],
    [{ "sec-fetch-site": "same-site" }, "Sec-Fetch-Site"],
  ])("refuses one with %j because of its %s", async (headers, reason) => {
    const sandbox = await runSandbox();
    for (const line of [...lines, "POST /_sandbox/reset", "GET /nowhere"]) {
      const { status, body } = await ask(sandbox, line, { ...own, ...headers });
      expect({ status, ...JSON.parse(body) }).toMatchObject({
        status: 403,
        error: expect.stringMatching(new RegExp(`^${reason} `)),
      });
    }
    expect(sandbox.messages()).toEqual([]);
  });

  it("goes by the name in an absolute target, as a proxy's client sends it", async () => {
    const sandbox = await runSandbox();
    const to = (host: string) => ask(sandbox, `POST http://${host}/api/v1/sms/send`, own);

    expect((await to("localhost:4010")).status).toBe(200);
    expect((await to("evil.example")).status).toBe(403);
  });
});
