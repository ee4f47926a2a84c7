import { describe, expect, it } from "vitest";
import { isObject } from "../../src/json.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { exchange, hello, liveKey, post, read, runSandbox, testKey } from "./running.ts";

function endingIn(digits: string) {
  return { ...hello, to: `+254700${digits}` };
}

/** The number of accepted messages, and the balance in the next answer. */
async function countAndBalance(sandbox: Sandbox): Promise<readonly unknown[]> {
  const count = sandbox.messages().length;
  const [, body] = await read(post(sandbox, hello));
  return [count, isObject(body) && body["newBalance"]];
}

describe("number endings", () => {
  it.each([
    ["000400", 400, "INVALID_REQUEST", "Invalid parameters"],
    ["000401", 401, "UNAUTHORIZED", "Invalid credentials"],
    ["000402", 402, "INSUFFICIENT_CREDITS", "Insufficient SMS credits"],
    ["000403", 403, "SENDER_NOT_AUTHORIZED", "Sender ID not authorized"],
    ["000500", 500, "INTERNAL_ERROR", "Internal server error"],
  ])("%s: refused with %i %s each time", async (ending, status, errorCode, error) => {
    const sandbox = await runSandbox();
    for (const authorization of [testKey, liveKey]) {
      expect(await read(post(sandbox, endingIn(ending), { authorization }))).toEqual([status, { error, errorCode }]);
    }
    expect(await countAndBalance(sandbox)).toEqual([0, 100]);
  });

  it("000503: refused with 503 without a body", async () => {
    const sandbox = await runSandbox();
    const answer = await post(sandbox, endingIn("000503"));
    expect([answer.status, answer.headers.get("content-type"), await answer.text()]).toEqual([503, null, ""]);
    expect(sandbox.messages()).toEqual([]);
  });

  it("000429: refused once, then accepted", async () => {
    const sandbox = await runSandbox();
    const answers: unknown[] = [];
    for (let count = 0; count < 3; count++) {
      const { status, headers } = await post(sandbox, endingIn("000429"));
      answers.push([status, headers.get("retry-after")]);
    }
    expect(answers).toEqual([
      [429, "1"],
      [200, null],
      [200, null],
    ]);
    expect(sandbox.messages()).toHaveLength(2);
  });

  it("000200: accepted, and answered with a body that is not JSON", async () => {
    const sandbox = await runSandbox();
    const answer = await post(sandbox, endingIn("000200"), { authorization: liveKey });
    const body = await answer.text();
    expect(answer.status).toBe(200);
    expect(() => JSON.parse(body) as unknown).toThrow(SyntaxError);
    expect(await countAndBalance(sandbox)).toEqual([1, 99]);
  });

  it("000598: accepted, and the connection is cut", async () => {
    const sandbox = await runSandbox();
    const body = JSON.stringify(endingIn("000598"));
    const head = `POST /api/v1/sms/send HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${liveKey}\r\n`;
    const bytes = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    expect(await exchange(sandbox, bytes)).toBe("");
    expect(await countAndBalance(sandbox)).toEqual([1, 99]);
  });

  it("000599: accepted, and never answered", async () => {
    const sandbox = await runSandbox();
    const sent = post(sandbox, endingIn("000599"), { authorization: liveKey });
    const silence = new Promise((resolve) => setTimeout(resolve, 500, "silence"));
    expect(await Promise.race([sent, silence])).toBe("silence");
    expect(await countAndBalance(sandbox)).toEqual([1, 99]);
    await sandbox.close();
    await expect(sent).rejects.toThrow("fetch failed");
  });

  it.each([
    ["000502", "HTTP/1.1 502", 0],
    ["000597", "", 0],
    ["000201", "HTTP/1.1 200", 1],
  ])("%s: answered with as much as %j, and %i accepted", async (ending, begins, accepted) => {
    const sandbox = await runSandbox();
    const body = JSON.stringify(endingIn(ending));
    const head = `POST /api/v1/sms/send HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${testKey}\r\nConnection: close\r\n`;
    const bytes = `${head}Content-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n${body}`;
    const answer = await exchange(sandbox, bytes);
    expect(answer.slice(0, 12)).toBe(begins);
    expect(answer).not.toMatch(/\}$/);
    expect(sandbox.messages().length).toBe(accepted);
  });

  it.each(["000200", "000598", "000599"])("%s: refused with 402 without credits", async (ending) => {
    const sandbox = await runSandbox({ credits: 0 });
    expect((await post(sandbox, endingIn(ending), { authorization: liveKey })).status).toBe(402);
    expect(sandbox.messages()).toEqual([]);
  });

  it.each([
    ["bad credentials", { authorization: "Bearer sk_test_other" }, {}, 401],
    ["an unknown sender", {}, { senderIdName: "OTHER" }, 403],
    ["no message", {}, { message: "" }, 400],
  ])("do not hide %s", async (_, headers, fields, status) => {
    const sandbox = await runSandbox();
    expect((await post(sandbox, { ...endingIn("000500"), ...fields }, headers)).status).toBe(status);
  });

  it.each(["+254700050012", "+254712000500", "+254711000401", "+254700000501", "+493170000402"])(
    "do not match %s",
    async (to) => {
      const sandbox = await runSandbox();
      expect((await post(sandbox, { ...hello, to })).status).toBe(200);
    },
  );
});
