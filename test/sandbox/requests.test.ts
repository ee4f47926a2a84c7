import { describe, expect, it } from "vitest";
import { ask, exchange, follow, hello, post, runSandbox, tell, testKey } from "./running.ts";

const json = "Content-Type: application/json";
const authorized = `Authorization: ${testKey}`;
const body = JSON.stringify(hello);

/** The bytes of a request with that first line, these headers and that body. */
function request(line: string, headers: readonly string[] = [authorized, json], text = body): string {
  const fixed = ["Host: localhost", "Connection: close", `Content-Length: ${Buffer.byteLength(text)}`];
  return [`${line} HTTP/1.1`, ...fixed, ...headers, "", text].join("\r\n");
}

const send = "POST /api/v1/sms/send";

/** The bytes of a send with that body. */
function sent(text: string): string {
  return request(send, [authorized, json], text);
}

const multipart = '--a\r\nContent-Disposition: form-data; name="password"\r\nX: y\r\n\r\nhunter2\r\n--a--\r\n';

const noKey =
  "No key came in the header Authorization, and none is read elsewhere: " +
  'send "Authorization: Bearer sk_test_sandbox"';
const keys = "whose keys are sk_test_sandbox and sk_live_sandbox";

describe("the requests of a sandbox", () => {
  it.each<[string, string, number, string]>([
    ["a wrong path", request("POST /sms/send"), 404, "Nothing is served at this path: send with POST /api/v1/sms/send"],
    [
      "the other form of the path",
      request("POST /v1/sms/send"),
      404,
      "Nothing is served at this path: send with POST /api/v1/sms/send; paths in --config can have both forms",
    ],
    [
      "a wrong method",
      request("GET /api/v1/sms/send"),
      405,
      "GET is not allowed here: send with POST /api/v1/sms/send",
    ],
    ["no credentials", request(send, [json]), 401, noKey],
    ["a key in another header", request(send, [json, "X-Api-Key: sk_test_sandbox"]), 401, noKey],
    ["a key without Bearer", request(send, [json, "Authorization: sk_test_sandbox"]), 401, noKey],
    ["no key after Bearer", request(send, [json, "Authorization: Bearer "]), 401, noKey],
    [
      "an unknown key",
      request(send, [json, "Authorization: Bearer sk_live_1234567890"]),
      401,
      `The key sk_live_…7890 is no key of this sandbox, ${keys}`,
    ],
    [
      "a wrong password",
      request(send, [json, "Authorization: Basic eDp5"]),
      401,
      "The e-mail address or the password is not that of the account, sandbox@example.com",
    ],
    ["a wrong Content-Type", request(send, [authorized]), 400, "Content-Type must be application/json"],
    ["a list", sent("[]"), 400, "The body must be a JSON object in UTF-8"],
    ["a missing field", sent('{"to":"+254712345678"}'), 400, "message must be a string of 1 to 1600 characters"],
    ["an unknown field", sent('{"recipient":"+254712345678"}'), 400, "recipient is not a field of this request"],
    ["a message", request(send), 200, "Accepted with a test key: 1 segment"],
  ])("has %s, and why it was answered so", async (_, bytes, status, reason) => {
    const sandbox = await runSandbox();
    await exchange(sandbox, bytes);
    expect(await ask(sandbox, "requests")).toMatchObject([200, [{ id: 1, status, reason }]]);
  });

  it("have what was exchanged, without keys and passwords", async () => {
    const sandbox = await runSandbox();
    const secret = "sk_live_verysecret9876";
    const fields = { ...hello, apiKey: secret, Password: 'hunter"2', message: `my key is ${secret}` };
    await post(sandbox, fields, { authorization: `Bearer ${secret}`, "x-api-key": "hunter2", cookie: "a=hunter2" });
    await fetch(`${sandbox.url}/send?token=hunter2&to=1`, {
      method: "POST",
      headers: { authorization: `Basic ${btoa("me:hunter2")}` },
      body: new URLSearchParams({ password: "hunter2", to: "1" }),
    });
    const [, first] = await ask(sandbox, "requests?id=1");
    expect(first).toMatchObject({
      method: "POST",
      target: "/api/v1/sms/send",
      headers: expect.arrayContaining([
        ["authorization", "Bearer sk_live_…9876"],
        ["x-api-key", "[redacted]"],
      ]),
      body: `{"to":"+254712345678","message":"my key is sk_live_…9876","apiKey":"[redacted]","Password":"[redacted]"}`,
      answer: {
        headers: expect.arrayContaining([["Content-Length", "58"]]),
        body: '{"error":"Invalid credentials","errorCode":"UNAUTHORIZED"}',
      },
    });
    const [, second] = await ask(sandbox, "requests?id=2");
    expect(second).toMatchObject({ target: "/send?token=[redacted]&to=1", body: "password=[redacted]&to=1" });
    expect(JSON.stringify([first, second, await ask(sandbox, "requests")])).not.toMatch(/very|hunter|bWU6/);
  });

  it.each([
    ["a header of another name", { "x-auth": "hunter2" }, JSON.stringify(hello)],
    ["a number, as such", {}, '{"password":2hunter2}'],
    ["no quotes, with the mistake quoted", {}, '{"password": hunter2}'],
    ["a form with files", { "content-type": "multipart/form-data; boundary=a" }, multipart],
    ["a form with names of its own", { "content-type": "application/x-www-form-urlencoded" }, "to=1&pin=hunter2"],
    ["a member with a name of its own", {}, '{"pin": hunter2}'],
  ])("leave a password out: %s", async (_, headers, text) => {
    const sandbox = await runSandbox({ bodyCredentials: { email: "user", password: "pin" } });
    await post(sandbox, text, headers);
    const shown = JSON.stringify([await ask(sandbox, "requests"), await ask(sandbox, "requests?id=1")]);
    expect(shown).toContain("[redacted]");
    expect(shown).not.toMatch(/hunter|unter2/);
  });

  it("are read at once, whatever is in them", async () => {
    const sandbox = await runSandbox();
    const began = process.cpuUsage();
    await post(sandbox, `{"${'\\"'.repeat(30_000)}`);
    await post(sandbox, "a".repeat(60_000), { "content-type": "application/x-www-form-urlencoded" });
    for (const id of [1, 2]) await ask(sandbox, `requests?id=${id}`);
    // Other programs of a busy machine do not count.
    expect(process.cpuUsage(began).user).toBeLessThan(1_000_000);
  });

  it("have how long it took, and whose number and message it was", async () => {
    let clock = Date.UTC(2030, 0, 1);
    const sandbox = await runSandbox({ now: () => (clock += 5) });
    const next = await follow(sandbox);
    await next();
    await post(sandbox, hello);
    await next();
    const [name, data] = await next();
    expect([name, data]).toMatchObject([
      "request",
      { id: 1, ...hello, mode: "test", messageId: "message-1", milliseconds: expect.any(Number) },
    ]);
    expect((data as { milliseconds: number }).milliseconds).toBeGreaterThan(0);
    expect((await ask(sandbox, "requests?id=2"))[0]).toBe(404);
  });

  it("have one whose client did not wait for the answer", async () => {
    const sandbox = await runSandbox();
    await tell(sandbox, "account", { faults: "latency:60000" });
    const signal = AbortSignal.timeout(500);
    const headers = { authorization: testKey, "content-type": "application/json" };
    await fetch(`${sandbox.url}/api/v1/sms/send`, { method: "POST", headers, body, signal }).catch(() => "given up");
    await expect
      .poll(() => ask(sandbox, "requests"))
      .toMatchObject([
        200,
        [
          {
            status: 0,
            reason: "The client disconnected before the answer: Accepted with a test key: 1 segment",
          },
        ],
      ]);
  });

  it("are the latest 1,000 of at most 8 MiB, until they are cleared", async () => {
    const sandbox = await runSandbox();
    const many = Array.from({ length: 1100 }, () => request("GET /none").replace("Connection: close\r\n", ""));
    await exchange(sandbox, [...many, request("GET /last")].join(""));
    const ids = async () => ((await ask(sandbox, "requests"))[1] as { id: number }[]).map(({ id }) => id);
    expect([(await ids()).length, (await ids())[0]]).toEqual([1000, 102]);
    for (let n = 0; n < 150; n++) await post(sandbox, "a".repeat(64 * 1024));
    expect((await ids()).length).toBeLessThan(128);
    await fetch(`${sandbox.url}/_sandbox/messages`, { method: "DELETE" });
    expect(await ids()).toEqual([]);
  });
});
