import { describe, expect, it } from "vitest";
import { startScriptedServer } from "../support/scripted-server.ts";
import { answer } from "../support/scripts.ts";
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

  it.each([
    {
      name: "a refused key",
      script: answer(401, { error: "Invalid credentials", errorCode: "UNAUTHORIZED" }),
      code: 4,
      error: "Invalid credentials",
      errorCode: "UNAUTHORIZED",
      httpStatus: 401,
      hint: /Settings, API Keys/,
    },
    {
      name: "a refused IP address, which has no sender",
      script: answer(403, { error: "This IP address is not allowed" }),
      code: 4,
      error: "This IP address is not allowed",
      errorCode: "FORBIDDEN",
      httpStatus: 403,
      hint: /^(?!.*--sender).*IP addresses/,
    },
    {
      name: "the 400 of a gateway",
      script: answer(400, "<h1>400 Bad Request</h1>"),
      code: 9,
      error: "the service did not answer as documented: HTTP 400",
      errorCode: "NOT_THE_SERVICE",
      httpStatus: 400,
      hint: /^check the base URL.*; --no-verify stores it without asking$/,
    },
  ])("stores nothing after the answer of $name, and says what to check", async ({ script, hint, ...expected }) => {
    const server = await startScriptedServer({ onRequest: script });

    const { code, value } = await json(["login", "--base-url", server.url, "--with-key"], { stdin: "sk_test_other" });

    const { name: _, ...failure } = expected;
    expect({ ...value, code }).toEqual({
      ...failure,
      exitCode: failure.code,
      hint: expect.stringMatching(hint) as unknown,
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

  it("accepts account credentials, sent as Basic", async () => {
    const args = ["login", "--base-url", sandbox().url, "--email", "sandbox@example.com", "--with-password"];
    expect((await run(args, { stdin: "sandbox\n" })).code).toBe(0);
    expect((await json(["send", "--to", to, "-m", "Hi"])).value).toMatchObject({ mode: "account" });
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

  it("stores defaults, which flags and the environment override", async () => {
    await login("sk_test_sandbox", ["--sender", "ACME", "--country", "KE"]);
    await run(["send", "--to", "0712345678", "-m", "Hi"]);
    await run(["send", "--to", to, "-m", "Hi"], { environment: { SMS_SENDER: "SANDBOX" } });

    expect(sandbox().messages().slice(-2)).toMatchObject([
      { to, senderId: "ACME" },
      { to, senderId: "SANDBOX" },
    ]);
  });

  it.each([
    ["no base URL", ["login", "--with-key"], "NO_BASE_URL"],
    ["no key, if it cannot prompt", there, "NO_SECRET"],
    ["text that is not a key", [...there, "--with-key"], "INVALID_KEY"],
    [
      "a URL with a secret in it",
      ["login", "--base-url", "https://a:b@sms.example.com", "--with-key"],
      "INVALID_BASE_URL",
    ],
    ["a password without an address", [...there, "--with-password"], "NO_EMAIL"],
    [
      "body fields of a message",
      [...there, "--email", "a", "--with-password", "--body-fields", "to,b"],
      "INVALID_OPTION",
    ],
  ])("refuses %s", async (_, args, errorCode) => {
    expect(await json(args, { stdin: "not a key" })).toMatchObject({ code: 2, value: { errorCode } });
  });
});
