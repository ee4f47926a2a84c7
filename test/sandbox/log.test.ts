import { describe, expect, it } from "vitest";
import { ask, exchange, hello, post, requestBytes, runSandbox, testKey } from "./running.ts";

const json = "Content-Type: application/json";
const authorized = `Authorization: ${testKey}`;
const body = JSON.stringify(hello);

const request = (line: string, headers: readonly string[] = [authorized, json], text = body) =>
  requestBytes(line, headers, text);
const send = "POST /api/v1/sms/send";
const sendTo = (ending: string) =>
  request(send, [authorized, json], JSON.stringify({ ...hello, to: `+254700${ending}` }));
const multipart = '--a\r\nContent-Disposition: form-data; name="password"\r\nX: y\r\n\r\nhunter2\r\n--a--\r\n';
const paths = "send with POST /api/v1/sms/send or /v1/sms/send";
const noKey =
  "No key came in the header Authorization, and no account in the body: " +
  'send "Authorization: Bearer sk_test_sandbox"';
const otherKey = "The key sk_live_…7890 is no key of this sandbox, whose keys are sk_test_sandbox and sk_live_sandbox";
const otherPassword = "The e-mail address or the password is not that of the account, sandbox@example.com";

describe("the requests of a sandbox", () => {
  it.each([
    ["a wrong path", request("POST /sms/send"), 404, `Nothing is served at this path: ${paths}`],
    ["a wrong method", request("GET /api/v1/sms/send"), 405, `GET is not allowed here: ${paths}`],
    ["a key in another header", request(send, [json, "X-Api-Key: sk_test_sandbox"]), 401, noKey],
    ["no key after Bearer", request(send, [json, "Authorization: Bearer "]), 401, noKey],
    ["an unknown key", request(send, [json, "Authorization: Bearer sk_live_1234567890"]), 401, otherKey],
    ["a wrong password", request(send, [json, "Authorization: Basic eDp5"]), 401, otherPassword],
    ["a wrong Content-Type", request(send, [authorized]), 400, "Content-Type must be application/json"],
    ["a message", request(send), 200, "Accepted with a test key: 1 segment"],
    ["a refusing number", sendTo("000500"), 500, "Refused on purpose: the number is +254700000500"],
    ["a cut", sendTo("000597"), 0, "Not accepted, and the connection was cut: the number is +254700000597"],
    ["a late cut", sendTo("000598"), 0, "Accepted, but the connection was cut: the number is +254700000598"],
  ])("have %s, and why it was answered so", async (_, bytes, status, reason) => {
    const sandbox = await runSandbox();
    await exchange(sandbox, bytes);
    expect(await ask(sandbox, "inbox")).toMatchObject([200, { entries: [{ id: 1, status, reason }] }]);
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
    const [, first] = await ask(sandbox, "inbox?open=1");
    const [, second] = await ask(sandbox, "inbox?open=2");

    const entry = { method: "POST", target: "/api/v1/sms/send", message: "my key is sk_live_…9876" };
    const opened = {
      entry,
      headers: expect.arrayContaining([
        ["authorization", "Bearer sk_live_…9876"],
        ["x-api-key", "[redacted]"],
      ]),
      body: `{"to":"+254712345678","message":"my key is sk_live_…9876","apiKey":"[redacted]","Password":"[redacted]"}`,
      answer: {
        headers: expect.arrayContaining([["Content-Length", "58"]]),
        body: '{"error":"Invalid credentials","errorCode":"UNAUTHORIZED"}',
      },
    };
    expect(first).toMatchObject({ opened });
    const target = "/send?token=[redacted]&to=1";
    expect(second).toMatchObject({ opened: { entry: { target }, body: "password=[redacted]&to=1" } });
    expect(JSON.stringify([first, second])).not.toMatch(/very|hunter|bWU6/);
  });

  it.each([
    ["a header of another name", { "x-auth": "hunter2" }, JSON.stringify(hello)],
    ["a number, as such", {}, '{"password":2hunter2}'],
    ["no quotes, with the mistake quoted", {}, '{"password": hunter2}'],
    ["a form with files", { "content-type": "multipart/form-data; boundary=a" }, multipart],
  ])("leave a password out: %s", async (_, headers, text) => {
    const sandbox = await runSandbox();
    await post(sandbox, text, headers);
    const pages = JSON.stringify(await ask(sandbox, "inbox?open=1"));
    expect(pages).toContain("[redacted]");
    expect(pages).not.toMatch(/hunter|unter2/);
  });

  it("are whole for the latest 1,000 of at most 8 MiB, until all is deleted", async () => {
    const sandbox = await runSandbox();
    const many = Array.from({ length: 1100 }, () => request("GET /none").replace("Connection: close\r\n", ""));
    await exchange(sandbox, [...many, request("GET /last")].join(""));
    const areWhole = async (...ids: readonly number[]) => {
      const pages = await Promise.all(ids.map((id) => ask(sandbox, `inbox?open=${id}`)));
      return Object.fromEntries(pages.map((page, index) => [ids[index], JSON.stringify(page).includes('"headers"')]));
    };

    expect(await areWhole(101, 102)).toEqual({ 101: false, 102: true });
    for (let n = 0; n < 150; n++) await post(sandbox, "a".repeat(64 * 1024));
    expect(await areWhole(1101, 1120, 1251)).toEqual({ 1101: false, 1120: false, 1251: true });
    expect((await fetch(`${sandbox.url}/_sandbox/messages?to=1`, { method: "DELETE" })).status).toBe(400);
    expect((await fetch(`${sandbox.url}/_sandbox/messages`, { method: "DELETE" })).status).toBe(204);
    expect(await ask(sandbox, "inbox")).toMatchObject([200, { entries: [] }]);
  });
});

describe("/_sandbox/messages", () => {
  const found = (...numbers: readonly number[]) =>
    numbers.map((n) => expect.objectContaining({ messageId: `message-${n}` }));
  const refused = (error: string) => ({ error, errorCode: "INVALID_REQUEST" });

  it.each<[string, number, unknown]>([
    ["", 200, found(1, 2, 3)],
    ["to=%2B254712345678", 200, found(1, 3)],
    ["to=+254712345678", 200, found(1, 3)],
    ["since=message-1", 200, found(2, 3)],
    ["since=message-3", 200, []],
    ["since=message-1&to=%2B254712345678", 200, found(3)],
    ["from=ACME", 400, refused("from is unknown; use to or since")],
    ["to=0712", 400, refused("to must be a number in E.164 format")],
    ["to=%2B254712345678&to=%2B254712345679", 400, refused("to is given twice")],
    ["since=message-9", 400, refused("since must be the id of a message in the sandbox")],
  ])("?%s is answered with %i", async (query, status, answer) => {
    const sandbox = await runSandbox();
    for (const to of ["+254712345678", "+254712345679", "+254712345678"]) await post(sandbox, { ...hello, to });

    expect(await ask(sandbox, `messages?${query}`)).toEqual([status, answer]);
  });
});

describe("/_sandbox/inbox", () => {
  it.each([
    ["", [5, 4, 3, 2, 1]],
    ["search=finished%20DEPLOY", [1]],
    ["search=%20on%20%20web%20", [1]],
    ["search=%22failed%22", [4]],
    ["search=-50%25", [2]],
    ["search=0712%20345%20678", [4, 1]],
    ["search=0712-345-67", [4, 2, 1]],
    ["search=678%20deploy", [4, 1]],
    ["search=message-2", [2]],
    ["search=sandbox", [3, 2]],
    ["search=e.164", [4]],
    ["search=cut", [3]],
    ["search=/none", [5]],
    ["only=accepted", [3, 2, 1]],
    ["only=refused&search=deploy", [4]],
  ])("?%s finds the entries %j", async (query, ids) => {
    const sandbox = await runSandbox();
    await post(sandbox, { ...hello, message: "Deploy 7 finished on web-1", senderIdName: "ACME" });
    await post(sandbox, { to: "+254712345679", message: "Code:1234 -50% at 12:30" });
    await post(sandbox, { to: "+254700000598", message: "See https://a.example" }).catch(() => "cut");
    await post(sandbox, { to: "0712 345 678", message: 'The deploy "failed"' });
    await fetch(`${sandbox.url}/none`);
    expect(await ask(sandbox, `inbox?${query}`)).toMatchObject([
      200,
      { counts: { all: 5, accepted: 3, refused: 2 }, matches: ids.length, entries: ids.map((id) => ({ id })) },
    ]);
  });

  it.each(["0712 345 678", "+254 712 345678", "0712  345-678 hello"])(
    "?search=%s finds that number alone",
    async (search) => {
      const sandbox = await runSandbox();
      for (const to of ["+254345712678", "+254678712345", hello.to]) await post(sandbox, { ...hello, to });
      const page = await ask(sandbox, `inbox?search=${encodeURIComponent(search)}`);
      expect(page).toMatchObject([200, { entries: [{ to: hello.to }], matches: 1 }]);
    },
  );

  it("counts a check of credentials as neither accepted nor refused, unless they are refused", async () => {
    const sandbox = await runSandbox();
    expect((await post(sandbox, {})).status).toBe(400);
    expect((await post(sandbox, {}, { authorization: "Bearer sk_live_other" })).status).toBe(401);
    const taken = { id: 1, isCheck: true, reason: "The credentials are taken; a check sends no message" };
    const counts = { all: 2, accepted: 0, refused: 1 };
    expect(await ask(sandbox, "inbox")).toMatchObject([200, { counts, entries: [{ id: 2, isCheck: true }, taken] }]);
    expect(await ask(sandbox, "inbox?only=refused")).toMatchObject([200, { entries: [{ id: 2 }] }]);
  });

  it("has the latest 200 entries, and the 100 of a number from the open one on", async () => {
    const sandbox = await runSandbox({ rate: 2000 });
    const to = (n: number) => (n % 2 === 0 ? hello.to : `+2547123${n + 10_000}`);
    for (let n = 0; n < 600; n++) await post(sandbox, { to: to(n), message: `number ${n}` });

    const [, latest] = await ask(sandbox, "inbox?open=599");
    const [, early] = await ask(sandbox, "inbox?open=101");
    const idsFrom = (first: number) => Array.from({ length: 100 }, (_, n) => ({ id: first + 2 * n }));

    expect(latest).toMatchObject({
      matches: 600,
      entries: Array.from({ length: 200 }, (_, n) => ({ id: 600 - n })),
      opened: { entry: { id: 599 }, thread: idsFrom(401), earlier: 200, later: 0 },
    });
    expect(early).toMatchObject({ opened: { thread: idsFrom(101), earlier: 50, later: 150 } });
  });
});
