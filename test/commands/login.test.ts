import { describe, expect, it } from "vitest";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { answer, inTurn } from "../support/scripts.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const to = "+254712345678";
const there = ["login", "--base-url", "https://sms.example.com"];
const { sandbox, run, json, login } = withSandbox();

describe("sms login", () => {
  it("stores credentials that the service accepts, and a send uses them", async () => {
    expect((await login()).code).toBe(0);
    const { value } = await json(["send", "--to", to, "-m", "Hi"]);
    expect(value).toMatchObject({ success: true, to, mode: "test" });
  });

  it("stores nothing that the service refuses, and says what to check", async () => {
    const error = "This IP address is not allowed";
    const server = await startScriptedServer({ onRequest: answer(403, { error }) });

    const { code, value } = await json(["login", "--base-url", server.url, "--with-key"], { stdin: "sk_test_other" });

    expect({ ...value, code }).toEqual({
      code: 4,
      exitCode: 4,
      error,
      errorCode: "FORBIDDEN",
      httpStatus: 403,
      hint: expect.stringMatching(/^(?!.*--sender).*IP addresses/) as unknown,
      details: ["Nothing was stored."],
    });
    expect((await json(["status"])).value).toMatchObject({ errorCode: "NO_CREDENTIALS" });
  });

  it("does not ask the service with --no-verify", async () => {
    const { code, stdout } = await run([...there, "--with-key", "--no-verify"], { stdin: "sk_live_0123456789a1b2" });
    expect(code).toBe(0);
    expect(stdout).toMatch(/^✓ Stored, but the service has not checked it\n/);
    expect((await json(["status"])).value).toMatchObject({
      baseUrl: "https://sms.example.com",
      mode: "live",
      key: { name: "live", shown: "sk_live_…a1b2", ageDays: 0 },
    });
  });

  it.each([["login --with-key"], ["keys add new"]])(
    "%s stores no live key for http, with --no-verify too",
    async (words) => {
      await run(["login", "--base-url", "http://sms.example.com", "--with-key", "--no-verify"], { stdin: "sk_test_a" });
      const before = await json(["keys", "list"]);

      const { value } = await json([...words.split(" "), "--no-verify"], { stdin: "sk_live_a" });

      expect(value).toMatchObject({ errorCode: "INSECURE_BASE_URL", exitCode: 2 });
      expect(await json(["keys", "list"])).toEqual(before);
    },
  );

  it.each([
    ["as Basic", []],
    ["in the body", ["--body-fields", "user,pass"]],
  ])("accepts account credentials, sent %s, and refuses others", async (_, way) => {
    const args = ["login", "--base-url", sandbox().url, "--email", "sandbox@example.com", "--with-password", ...way];
    expect((await run(args, { stdin: "sandbox-pass-4011\n" })).code).toBe(4);
    expect((await run(args, { stdin: "sandbox-pass-4010\n" })).code).toBe(0);
    expect((await json(["send", "--to", to, "-m", "Hi"])).value).toMatchObject({ mode: "account" });
    expect(sandbox().messages().at(-1)).toMatchObject({ to, message: "Hi", mode: "account" });
  });

  it("sends account credentials in the body with --body-fields, and no header", async () => {
    const server = await startScriptedServer({ onRequest: answer(400, { error: "to is missing" }) });
    const account = ["--email", "me@example.com", "--with-password", "--body-fields", "user,pass"];
    await run(["login", "--base-url", server.url, ...account], { stdin: "secret" });
    await run(["send", "--to", to, "-m", "Hi"]);
    expect(server.requests.map(({ body, headers }) => [JSON.parse(body), headers["authorization"]])).toEqual([
      [{ user: "me@example.com", pass: "secret" }, undefined],
      [{ user: "me@example.com", pass: "secret", to, message: "Hi" }, undefined],
    ]);
  });

  it("keeps the defaults that it does not name", async () => {
    await login("sk_test_sandbox", ["--sender", "ACME", "--country", "KE", "--rate", "300"]);
    await login("sk_test_sandbox", ["--sender", "SANDBOX"]);
    expect((await json(["status"])).value).toMatchObject({ sender: "SANDBOX", country: "KE", rate: 300 });
  });

  it("says that it turns a profile from test to live", async () => {
    await login();
    const { stdout, stderr } = await login("sk_live_sandbox");
    expect(stdout).toContain("Logged in");
    expect(stderr).toBe(
      "Warning: Profile default turned from test to live.\nA send is not charged now: a sandbox answers there.\n",
    );
    expect((await login("sk_live_sandbox")).stderr).not.toContain("turned");
  });

  it.each([
    ["no base URL", ["login", "--with-key"], "NO_BASE_URL"],
    ["text that is not a key", [...there, "--with-key"], "INVALID_KEY"],
    ["fields of a message", [...there, "--email", "a", "--with-password", "--body-fields", "to,b"], "INVALID_OPTION"],
  ])("refuses %s", async (_, args, errorCode) => {
    expect(await json(args, { stdin: "not a key" })).toMatchObject({ code: 2, value: { errorCode } });
  });
});

const [first, second] = ["/base/api/v1/sms/send", "/base/v1/sms/send"];
const no = (status: number) => answer(status, { error: "no" });

/** Logs in at a service that answers its requests so, in turn. */
async function logIn(...answers: readonly [Script, ...Script[]]) {
  const server = await startScriptedServer({ onRequest: inTurn(...answers) });
  const args = ["login", "--base-url", `${server.url}/base`, "--with-key"];
  const { code, value } = await json(args, { stdin: "sk_test_a" });
  const { path, hint = "" } = value;
  return { code, path, mayBeSkipped: hint.includes("--no-verify"), asks: server.requests.map(({ target }) => target) };
}

describe("a check of credentials", () => {
  it.each([
    { status: 400, code: 0, path: "/api/v1/sms/send" },
    { status: 401, code: 4 },
    { status: 403, code: 4 },
    { status: 429, code: 9, mayBeSkipped: true },
    { status: 500, code: 9, mayBeSkipped: true },
    { status: 200, code: 9, mayBeSkipped: true },
  ])("that is answered with $status asks once, and ends with $code", async ({ status, ...expected }) => {
    expect(await logIn(no(status))).toEqual({ path: undefined, mayBeSkipped: false, ...expected, asks: [first] });
  });

  it.each([
    ["the page of a server that wants a client certificate or https", "<html><h1>400 Bad Request</h1></html>"],
    ["the JSON of a gateway", { message: "Bad Request" }],
    ["no text as the error", { error: 400 }],
  ])("that is answered with 400 and %s does not take them", async (_, body) => {
    expect(await logIn(answer(400, body))).toMatchObject({ code: 9, mayBeSkipped: true });
  });

  it.each([
    { status: 400, code: 0, path: "/v1/sms/send" },
    { status: 404, code: 9, mayBeSkipped: true },
  ])("that is answered with 404 asks at the other path, and $status counts there", async ({ status, ...expected }) => {
    const asks = [first, second];
    expect(await logIn(no(404), no(status))).toEqual({ path: undefined, mayBeSkipped: false, ...expected, asks });
  });

  it("that reaches nobody is no verdict", async () => {
    const args = ["login", "--base-url", "http://127.0.0.1:1", "--with-key"];
    const { code, value } = await json(args, { stdin: "sk_test_a" });

    expect(code).toBe(9);
    expect(value).toMatchObject({ errorCode: "UNREACHABLE", hint: expect.stringContaining("--no-verify") });
  });
});
