import { describe, expect, it } from "vitest";
import { exchange, hello, runSandbox, testKey } from "./running.ts";

const requests = [
  "POST /api/v1/sms/send",
  "POST /v1/sms/send",
  "GET /",
  "GET /_sandbox/inbox/app.js",
  "GET /_sandbox/messages",
  "HEAD /_sandbox/events",
  "POST /_sandbox/reset",
  "GET /nowhere",
];

/** The status and the error of an answer to that request with those headers. */
async function answerTo(request: string, headers: Readonly<Record<string, string>>) {
  const sandbox = await runSandbox({ paths: ["/api/v1/sms/send", "/v1/sms/send"] });
  const body = JSON.stringify(hello);
  const sent = {
    Host: "localhost",
    Authorization: testKey,
    "Content-Type": "application/json",
    "Content-Length": String(body.length),
    Connection: "close",
    ...headers,
  };
  const lines = Object.entries(sent).map(([name, value]) => `${name}: ${value}\r\n`);
  const answer = await exchange(sandbox, `${request} HTTP/1.1\r\n${lines.join("")}\r\n${body}`);
  const [head = "", text = ""] = answer.split("\r\n\r\n");
  return { status: Number(head.slice(9, 12)), text, messages: sandbox.messages().length };
}

function expected(request: string): number {
  if (request === "POST /_sandbox/reset") return 204;
  return request === "GET /nowhere" ? 404 : 200;
}

describe.each(requests)("%s", (request) => {
  it.each<Readonly<Record<string, string>>>([
    { Host: "localhost" },
    { Host: "LOCALHOST:4010" },
    { Host: "127.0.0.1:4010" },
    { Host: "[::1]:4010" },
    { Host: "127.0.0.2:4010" },
    { Origin: "http://localhost" },
    { Host: "127.0.0.1:4010", Origin: "http://127.0.0.1:4010", "Sec-Fetch-Site": "same-origin" },
    { "Sec-Fetch-Site": "none" },
  ])("is answered with %j", async (headers) => {
    expect(await answerTo(request, headers)).toMatchObject({ status: expected(request) });
  });

  it.each([
    [{ Host: "evil.example" }, "Host"],
    [{ Host: "localhost.evil.example" }, "Host"],
    [{ Host: "127.0.0.1.evil.example:4010" }, "Host"],
    [{ Host: "evil.example:127.0.0.1" }, "Host"],
    [{ Host: "" }, "Host"],
    [{ Origin: "https://evil.example" }, "Origin"],
    [{ Origin: "http://localhost.evil.example" }, "Origin"],
    [{ Origin: "null" }, "Origin"],
    [{ "Sec-Fetch-Site": "cross-site" }, "Sec-Fetch-Site"],
    [{ "Sec-Fetch-Site": "same-site" }, "Sec-Fetch-Site"],
    [{ Origin: "http://localhost:3000" }, "Origin"],
    [{ Origin: "http://localhost:3000", "Sec-Fetch-Site": "same-origin" }, "Origin"],
    [{ Origin: "http://127.0.0.1", "Sec-Fetch-Site": "none" }, "Origin"],
  ])("is refused with %j because of its %s", async (headers, reason) => {
    const { status, text, messages } = await answerTo(request, headers);
    expect([status, messages]).toEqual([403, 0]);
    if (request.startsWith("HEAD")) return;
    expect(JSON.parse(text)).toEqual({
      errorCode: "FORBIDDEN",
      error: expect.stringMatching(new RegExp(`^${reason} `)),
    });
  });
});
