import { describe, expect, it } from "vitest";
import { accountLogin, hello, liveKey, post, read, runSandbox, sendAs, testKey } from "./running.ts";

const refused = [401, { error: "Invalid credentials", errorCode: "UNAUTHORIZED" }];

describe("credentials of the sandbox", () => {
  it.each([
    [testKey, "test"],
    ["bearer sk_test_sandbox", "test"],
    [liveKey, "live"],
    [accountLogin, "account"],
    [accountLogin.replace("Basic", "BASIC"), "account"],
  ])("accepts %j as %s", async (authorization, mode) => {
    const sandbox = await runSandbox();
    const answer = await post(sandbox, hello, { authorization });
    expect([answer.status, sandbox.messages().map((one) => one.mode)]).toEqual([200, [mode]]);
  });

  it.each([
    "",
    "Bearer",
    "Bearer sk_test_other",
    "Bearer SK_TEST_SANDBOX",
    "Bearer sk_test_sandbox more",
    "sk_test_sandbox",
    "Basic sk_test_sandbox",
    "Basic !!!%%%",
    `${accountLogin}!`,
    `Basic ${Buffer.from("sandbox@example.com:wrong").toString("base64")}`,
    `Bearer ${accountLogin.slice("Basic ".length)}`,
    "Bearer __proto__",
  ])("refuses %j with 401", async (authorization) => {
    const sandbox = await runSandbox();
    expect(await read(post(sandbox, hello, { authorization }))).toEqual(refused);
    expect(sandbox.messages()).toEqual([]);
  });

  it("names its schemes in the challenge", async () => {
    const sandbox = await runSandbox();
    const answer = await post(sandbox, hello, { authorization: "" });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="sandbox", Basic realm="sandbox"');
  });

  it.each([
    ["an empty object", "{}"],
    ["malformed JSON", "{"],
    ["a body that is too large", "x".repeat(70_000)],
  ])("refuses bad credentials before %s", async (_, body) => {
    const sandbox = await runSandbox();
    expect(await read(post(sandbox, body, { authorization: "Bearer sk_test_other" }))).toEqual(refused);
  });
});

describe("credentials in the body", () => {
  const bodyCredentials = { email: "user", password: "pass" };
  const login = { user: "sandbox@example.com", pass: "sandbox" };

  it.each<[string, object, string, string]>([
    ["are accepted under the configured field names", { ...hello, ...login }, "", "200"],
    ["are refused if they are wrong", { ...hello, ...login, pass: "x" }, "", "401 UNAUTHORIZED"],
    ["are refused if one is missing", { ...hello, user: login.user }, "", "401 UNAUTHORIZED"],
    ["do not hide another error", { ...login, to: "0712" }, "", "400 INVALID_REQUEST"],
    [
      "are an unknown field if there is an Authorization header",
      { ...hello, ...login },
      testKey,
      "400 INVALID_REQUEST",
    ],
  ])("%s", async (_name, fields, authorization, expected) => {
    const sandbox = await runSandbox({ bodyCredentials });
    expect(await sendAs(sandbox, authorization, fields)).toBe(expected);
  });

  it("charge the account, and are not stored", async () => {
    const sandbox = await runSandbox({ bodyCredentials });
    await sendAs(sandbox, "", { ...hello, ...login });
    expect(sandbox.messages()).toMatchObject([{ mode: "account", message: "Hello" }]);
    expect(JSON.stringify(sandbox.messages())).not.toContain(login.user);
  });

  it("are refused if no field names are configured", async () => {
    expect(await sendAs(await runSandbox(), "", { ...hello, ...login })).toBe("401 UNAUTHORIZED");
  });
});
