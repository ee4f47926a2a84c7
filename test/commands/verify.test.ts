import { describe, expect, it } from "vitest";
import { type Script, startScriptedServer } from "../support/scripted-server.ts";
import { answer, inTurn } from "../support/scripts.ts";
import { withSandbox } from "../support/with-sandbox.ts";

const { json } = withSandbox();
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
    { status: 402, code: 9, mayBeSkipped: true },
    { status: 422, code: 9, mayBeSkipped: true },
    { status: 429, code: 9, mayBeSkipped: true },
    { status: 500, code: 9, mayBeSkipped: true },
    { status: 200, code: 9, mayBeSkipped: true },
  ])("that is answered with $status asks once, and ends with $code", async ({ status, ...expected }) => {
    expect(await logIn(no(status))).toEqual({ path: undefined, mayBeSkipped: false, ...expected, asks: [first] });
  });

  it.each([
    ["nothing", ""],
    ["the page of a server that wants a client certificate or https", "<html><h1>400 Bad Request</h1></html>"],
    ["the JSON of a gateway", { message: "Bad Request" }],
    ["no text as the error", { error: 400 }],
    ["an array", ["error"]],
  ])("that is answered with 400 and %s does not take them", async (_, body) => {
    expect(await logIn(answer(400, body))).toMatchObject({ code: 9, mayBeSkipped: true });
  });

  it.each([
    { status: 400, code: 0, path: "/v1/sms/send" },
    { status: 401, code: 4 },
    { status: 500, code: 9, mayBeSkipped: true },
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
