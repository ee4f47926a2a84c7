import { describe, expect, it } from "vitest";
import { accountLogin, hello, liveKey, post, read, runSandbox, testKey } from "./running.ts";

const refused = [401, { error: "Invalid credentials", errorCode: "UNAUTHORIZED" }];

describe("credentials of the sandbox", () => {
  it.each([
    [testKey, "test"],
    ["bearer sk_test_sandbox", "test"],
    [liveKey, "live"],
    [accountLogin, "account"],
    [accountLogin.replace("Basic", "BASIC"), "account"],
  ])("takes %j as %s", async (authorization, mode) => {
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
  ])("refuses %j with 401 and takes nothing", async (authorization) => {
    const sandbox = await runSandbox();
    expect(await read(post(sandbox, hello, { authorization }))).toEqual(refused);
    expect(sandbox.messages()).toEqual([]);
  });

  it("names the schemes it takes in the challenge", async () => {
    const sandbox = await runSandbox();
    const answer = await post(sandbox, hello, { authorization: "" });
    expect(answer.headers.get("www-authenticate")).toBe('Bearer realm="sandbox", Basic realm="sandbox"');
  });

  it.each([
    ["an empty object", "{}"],
    ["malformed JSON", "{"],
    ["a body that is too large", "x".repeat(70_000)],
  ])("refuses bad credentials before it looks at %s", async (_, body) => {
    const sandbox = await runSandbox();
    expect(await read(post(sandbox, body, { authorization: "Bearer sk_test_other" }))).toEqual(refused);
  });
});
