import { describe, expect, it } from "vitest";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { follow, hello, liveKey, post, runSandbox, testKey } from "./running.ts";

const at = "2030-01-01T00:00:00.000Z";
const key = "sk_test_…dbox";
const received = {
  ...hello,
  encoding: "GSM-7",
  parts: ["Hello"],
  segments: 1,
  totalCredits: 1,
  totalCostKes: 0.8,
  senderId: "SANDBOX",
  at,
};

function clear(sandbox: Sandbox): Promise<Response> {
  return fetch(`${sandbox.url}/_sandbox/messages`, { method: "DELETE" });
}

describe("the feed of the sandbox", () => {
  it("starts with a snapshot", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello);
    await post(sandbox, { ...hello, to: "+254700000500" });
    const next = await follow(sandbox);
    expect(await next()).toEqual([
      "snapshot",
      {
        url: sandbox.url,
        keys: ["sk_test_sandbox", "sk_live_sandbox"],
        senders: ["SANDBOX", "ACME"],
        paths: ["/api/v1/sms/send"],
        rate: 100,
        balance: 100,
        faults: "none",
        entries: [
          { message: { ...received, messageId: "message-1", mode: "test", key } },
          {
            refusal: {
              at,
              to: "+254700000500",
              message: "Hello",
              mode: "test",
              key,
              reason: "The number is +254700000500: the message was not accepted, and answered with 500",
              fault: "000500",
              status: 500,
              errorCode: "INTERNAL_ERROR",
              requestId: 2,
            },
          },
        ],
      },
    ]);
  });

  it.each<[string, object, string, readonly unknown[]]>([
    [
      "a message with the new balance",
      hello,
      liveKey,
      [
        "message",
        { message: { ...received, messageId: "message-1", mode: "live", key: "sk_live_…dbox" }, balance: 99 },
      ],
    ],
    [
      "a message whose answer was broken",
      { ...hello, to: "+254700000200" },
      testKey,
      [
        "message",
        {
          balance: 100,
          message: {
            ...received,
            to: "+254700000200",
            messageId: "message-1",
            mode: "test",
            key,
            fault: "000200",
          },
        },
      ],
    ],
    [
      "an invalid send",
      { ...hello, senderIdName: "OTHER" },
      testKey,
      [
        "refusal",
        {
          at,
          ...hello,
          senderId: "OTHER",
          mode: "test",
          key,
          reason: "Sender ID not authorized: this sandbox has SANDBOX, ACME",
          status: 403,
          errorCode: "SENDER_NOT_AUTHORIZED",
          requestId: 1,
        },
      ],
    ],
  ])("continues with %s", async (_, fields, authorization, event) => {
    const sandbox = await runSandbox();
    const next = await follow(sandbox);
    await next();
    await post(sandbox, fields, { authorization });
    expect(await next()).toEqual(event);
  });

  it("stays in its event format with any text", async () => {
    const sandbox = await runSandbox();
    const next = await follow(sandbox);
    await next();
    const message = "one\n\nevent: cleared\r\ndata: {}\u2028\u0085\0";
    await post(sandbox, { ...hello, message });
    expect(await next()).toMatchObject(["message", { message: { message } }]);
  });

  it("has no more of a refused send than a message may have", async () => {
    const sandbox = await runSandbox();
    const next = await follow(sandbox);
    await next();
    const long = "a".repeat(20_000);
    await post(sandbox, { to: long, senderIdName: long, message: long });
    const [name, refusal] = await next();
    expect([name, JSON.stringify(refusal).length]).toEqual(["refusal", expect.closeTo(5000, -3)]);
    await next();
    await post(sandbox, { ...hello, [long]: "a field that is not one" });
    expect(JSON.stringify((await next())[1]).length).toBeLessThan(2000);
  });

  it("reports that messages were deleted", async () => {
    const sandbox = await runSandbox();
    await post(sandbox, hello, { authorization: liveKey });
    await post(sandbox, { ...hello, to: "+254700000500" });
    const next = await follow(sandbox);
    await next();
    const answer = await clear(sandbox);
    expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([204, null, ""]);
    expect(await next()).toEqual(["cleared", {}]);
    expect(await (await follow(sandbox))()).toMatchObject(["snapshot", { entries: [], balance: 99 }]);
  });

  it("ends at once when the sandbox stops", async () => {
    const sandbox = await runSandbox();
    const next = await follow(sandbox);
    await next();
    await sandbox.close();
    expect(await next().catch(() => "ended")).toBe("ended");
  });

  it("answers HEAD without a stream", async () => {
    const sandbox = await runSandbox();
    const answer = await fetch(`${sandbox.url}/_sandbox/events`, { method: "HEAD" });
    expect([answer.status, await answer.text()]).toEqual([200, ""]);
  });
});
