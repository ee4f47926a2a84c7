import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { describe, expect, it } from "vitest";
import { usageError } from "../../src/errors.ts";
import { freePort } from "../support/free-port.ts";
import { ask, exchange, hello, post, read, runSandbox, testKey } from "./running.ts";

const start = "POST /api/v1/sms/send HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n";

it("serves the description of the service", async () => {
  const sandbox = await runSandbox();
  const answer = await fetch(`${sandbox.url}/_sandbox/openapi.yaml`);
  expect(answer.headers.get("content-type")).toBe("application/yaml");
  expect(await answer.text()).toBe(readFileSync("src/sandbox/openapi.yaml", "utf8"));
});

describe("routes of the sandbox", () => {
  it.each([
    ["POST", "/api/v1/sms/send/"],
    ["POST", "/%ff%zz"],
    ["POST", "//api/v1/sms/send"],
    ["GET", "/_sandbox"],
    ["GET", "/__proto__"],
    ["GET", "/_sandbox/requests"],
    ["GET", "/_sandbox/account"],
  ])("answers %s %s with 404", async (method, path) => {
    const sandbox = await runSandbox();
    const answer = fetch(sandbox.url + path, { method, headers: { authorization: testKey } });
    expect(await read(answer)).toEqual([404, { error: "Not found", errorCode: "NOT_FOUND" }]);
  });

  it.each([
    ["GET", "/api/v1/sms/send", "POST"],
    ["OPTIONS", "/api/v1/sms/send", "POST"],
    ["POST", "/", "GET, HEAD"],
    ["POST", "/_sandbox/messages", "GET, DELETE, HEAD"],
    ["DELETE", "/_sandbox/openapi.yaml", "GET, HEAD"],
  ])("answers %s %s with 405, allowing %s", async (method, path, allow) => {
    const sandbox = await runSandbox();
    const answer = await fetch(sandbox.url + path, { method });
    const error = `Use ${allow.replace(", HEAD", "").replace(", ", " or ")}`;
    expect({ status: answer.status, allow: answer.headers.get("allow") }).toEqual({ status: 405, allow });
    expect(await answer.json()).toEqual({ error, errorCode: "METHOD_NOT_ALLOWED" });
  });

  it.each(["/api/v1/sms/send?a=%zz", "/v1/sms/send"])("accepts a send to %s", async (path) => {
    const sandbox = await runSandbox();
    const url = new URL(path, sandbox.url);
    const headers = { authorization: testKey, "content-type": "application/json" };
    expect((await fetch(url, { method: "POST", headers, body: JSON.stringify(hello) })).status).toBe(200);
  });
});

const inbox = "/_sandbox/inbox";

describe("the page of the sandbox", () => {
  it.each(["/", ...readdirSync("dist/inbox").map((name) => `${inbox}/${name}`)])(
    "serves %s with a strict policy",
    async (path) => {
      const sandbox = await runSandbox();
      const answer = await fetch(sandbox.url + path);
      const extension = path === "/" ? "html" : path.split(".").at(-1);
      const type = { html: "text/html", css: "text/css", js: "text/javascript", svg: "image/svg+xml" }[extension ?? ""];

      expect(answer.status).toBe(200);
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        "content-type": `${type}; charset=utf-8`,
        "x-content-type-options": "nosniff",
        "content-security-policy":
          "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; " +
          "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types",
      });
      expect((await answer.text()).match(/https?:\/\/(?!www\.w3\.org\/)/)).toBeNull();
    },
  );

  it.each(["/", "/tsconfig.json", "/../server.ts", "/..%2fserver.ts", "/app", "/none.js", "/constructor.js"])(
    "has no %s",
    async (path) => {
      const sandbox = await runSandbox();
      const answer = exchange(sandbox, `GET ${inbox}${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`);
      expect(await answer).toMatch(/^HTTP\/1\.1 404 /);
    },
  );
});

describe("a sandbox that gets invalid requests", () => {
  it.each([
    ["no HTTP", "hello\r\n\r\n", 400],
    ["no host", "GET / HTTP/1.1\r\n\r\n", 400],
    ["a bad length", `${start}Content-Length: x\r\n\r\n`, 400],
    ["a broken chunk", `${start}Transfer-Encoding: chunked\r\n\r\nzz\r\n`, 400],
    ["a huge header", `${start}X: ${"x".repeat(20_000)}\r\n\r\n`, 431],
    ["an absolute target", "GET http://localhost HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 200],
  ])("answers %s and keeps running", async (_, bytes, status) => {
    const sandbox = await runSandbox();
    expect((await exchange(sandbox, bytes)).slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    expect((await post(sandbox, hello)).status).toBe(200);
  });

  it("stores nothing of a client that disconnects inside its body, and records why", async () => {
    const sandbox = await runSandbox();
    const socket = connect(Number(new URL(sandbox.url).port), "127.0.0.1");
    await once(socket, "connect");
    socket.end(`${start}Authorization: ${testKey}\r\nContent-Length: 99\r\n\r\n{"to":`);
    socket.resume();
    await once(socket, "close");
    expect((await post(sandbox, hello)).status).toBe(200);
    expect(sandbox.messages()).toHaveLength(1);
    const reason = "The connection ended before the whole body came";
    expect(await ask(sandbox, "inbox")).toMatchObject([200, { entries: [{ status: 200 }, { status: 0, reason }] }]);
  });
});

describe("starting and stopping the sandbox", () => {
  it("refuses an address of another machine", async () => {
    await expect(runSandbox({ host: "192.0.2.1" })).rejects.toThrow("192.0.2.1 is not an address of this machine");
  });

  it("listens on no other address than 127.0.0.1", async () => {
    const sandbox = await runSandbox();
    const elsewhere = sandbox.url.replace("127.0.0.1", "127.0.0.2");
    await expect(fetch(elsewhere, { signal: AbortSignal.timeout(5000) })).rejects.toThrow("fetch failed");
  });

  it("refuses a port that is taken", async () => {
    const { port } = new URL((await runSandbox()).url);
    const hint = "choose another with --port; port 0 picks a free one";
    const error = usageError("PORT_IN_USE", `port ${port} is already in use on this machine`, hint);
    await expect(runSandbox({ port: Number(port) })).rejects.toEqual(error);
  });

  it("frees the port at once despite open requests, and may be stopped twice", async () => {
    const port = await freePort();
    const sandbox = await runSandbox({ port });
    const hanging = post(sandbox, { ...hello, to: "+254700000599" }).catch((error: unknown) => error);
    const halfSent = exchange(sandbox, `${start}Content-Length: 99\r\n\r\n{`).catch((error: unknown) => error);
    while (sandbox.messages().length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    const startedAt = performance.now();
    await sandbox.close();
    await Promise.all([hanging, halfSent]);
    expect(performance.now() - startedAt).toBeLessThan(5000);
    await sandbox.close();
    const next = await runSandbox({ port });
    expect(next.url).toBe(sandbox.url);
  });
});
