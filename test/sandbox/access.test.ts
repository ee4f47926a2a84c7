import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { text } from "node:stream/consumers";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";

let open: Sandbox;
let local: Sandbox;
let own: Sandbox;

beforeAll(async () => {
  const options = { port: 0, now: Date.now, newId: randomUUID, random: Math.random };
  open = await startSandbox({ ...options, host: "0.0.0.0" });
  local = await startSandbox(options);
  own = await startSandbox({ ...options, isPrivate: true });
});

afterAll(() => Promise.all([open.close(), local.close(), own.close()]));

/** What a sandbox answers to a request from another machine, which knows it by the name `sms-sandbox`. */
async function ask(path: string, headers: Readonly<Record<string, string>> = {}, { url }: Sandbox = open) {
  const body = path.startsWith("/api") ? '{"to":"+254712345678","message":"Hi"}' : undefined;
  const sent = request(new URL(path, url), {
    method: body === undefined ? "GET" : "POST",
    headers: { host: "sms-sandbox:4010", "content-type": "application/json", ...headers },
    agent: false,
  }).end(body);
  return new Promise<{ status: number | undefined; headers: NodeJS.Dict<string | string[]>; body: string }>(
    (resolve, reject) => {
      sent.on("error", reject).on("response", (answer) => {
        void text(answer).then((read) => resolve({ status: answer.statusCode, headers: answer.headers, body: read }));
      });
    },
  );
}

const key = { authorization: "Bearer sk_test_sandbox" };

describe("a sandbox that serves other machines", () => {
  it("has a token, which one of this machine alone has not", () => {
    expect([open.token?.length, local.token]).toEqual([36, undefined]);
  });

  it("accepts sends by any name, and no others than those of its pages", async () => {
    const send = "/api/v1/sms/send";
    expect((await ask(send, key)).status).toBe(200);
    expect((await ask(send, { ...key, origin: "http://sms-sandbox:4010" })).status).toBe(200);
    for (const headers of [
      { origin: "http://evil.example" },
      { origin: "http://evil.example//sms-sandbox:4010" },
      { "sec-fetch-site": "cross-site" },
    ] as readonly Readonly<Record<string, string>>[]) {
      expect((await ask(send, { ...key, ...headers })).status).toBe(403);
    }
    expect((await ask(send, key, local)).status).toBe(403);
  });

  it.each(["/", "/_sandbox/messages", "/_sandbox/inbox/app.js", "/_sandbox/events", "/_sandbox/nothing"])(
    "shows %s to nobody without the token",
    async (path) => {
      for (const headers of [
        {},
        key,
        { cookie: "sandbox_token_4010=" },
        { cookie: `other=${open.token}` },
      ] as readonly Readonly<Record<string, string>>[]) {
        expect((await ask(path, headers)).status).toBe(401);
      }
      expect((await ask(`${path}?token=${randomUUID()}`)).status).toBe(401);
    },
  );

  it("takes the token as Bearer token, in the address of the page, and as the cookie that this gives", async () => {
    const messages = "/_sandbox/messages";
    expect((await ask(messages, { authorization: `Bearer ${open.token}` })).status).toBe(200);
    expect((await ask(`${messages}?token=${open.token}`)).status).toBe(401);
    const page = await ask(`/?token=${open.token}`);
    expect([page.status, page.headers["location"]]).toEqual([303, "/"]);
    const cookie = String(page.headers["set-cookie"]);
    expect(cookie).toMatch(/; HttpOnly; SameSite=Strict$/);
    expect((await ask("/", { cookie: `a=b; ${cookie.split(";")[0]}` })).body).toContain("<!doctype html>");
    // A browser has one cookie of a name for all ports of a machine, and two sandboxes may serve there.
    const another = String((await ask(`/?token=${open.token}`, { host: "sms-sandbox:4011" })).headers["set-cookie"]);
    expect(another.split("=")[0]).not.toBe(cookie.split("=")[0]);
  });
});

describe("a private sandbox on loopback", () => {
  it("gives pages and messages only with its token, and takes sends without", async () => {
    const host = "127.0.0.1";
    const withToken = { host, authorization: `Bearer ${own.token}` };
    for (const path of ["/", "/_sandbox/messages", "/_sandbox/events", "/_sandbox/openapi.yaml"]) {
      expect((await ask(path, { host }, own)).status).toBe(401);
    }
    expect((await ask("/_sandbox/messages", withToken, own)).status).toBe(200);
    expect((await ask("/api/v1/sms/send", { ...key, host }, own)).status).toBe(200);
  });

  it("has no other names than those of this machine, whatever the token", async () => {
    const headers = { authorization: `Bearer ${own.token}` };
    expect((await ask("/_sandbox/messages", headers, own)).status).toBe(403);
  });
});

it.each(["open", "local"])("a sandbox that is %s says that it is healthy", async (which) => {
  const { status, body } = await ask("/healthz", {}, which === "open" ? open : local);
  expect([status, body]).toEqual([200, '{"status":"ok"}']);
});

it("refuses an address of another machine", async () => {
  const options = { port: 0, now: Date.now, newId: randomUUID, random: Math.random, host: "192.0.2.1" };
  await expect(startSandbox(options)).rejects.toThrow("192.0.2.1 is not an address of this machine");
});
