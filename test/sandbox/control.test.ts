import { describe, expect, it } from "vitest";
import { defaultSetup } from "../../src/sandbox/setup.ts";
import { accountLogin, ask, follow, hello, liveKey, post, read, runSandbox, sendAs, tell, testKey } from "./running.ts";

const account = { ...defaultSetup, credits: 100, faults: "none" };

describe("/_sandbox/account", () => {
  it("returns the whole account, in the form that it reads", async () => {
    const sandbox = await runSandbox();
    expect(await ask(sandbox, "account")).toEqual([200, account]);
    await post(sandbox, hello, { authorization: liveKey });
    const [, left] = await ask(sandbox, "account");
    expect(left).toEqual({ ...account, credits: 99 });
    expect(await read(tell(sandbox, "account", left))).toEqual([200, left]);
  });

  it.each<[object, string, object, string]>([
    [{ credits: 0 }, liveKey, hello, "402 INSUFFICIENT_CREDITS"],
    [{ credits: 0 }, testKey, hello, "200"],
    [{ keys: [{ key: "sk_live_other" }] }, liveKey, hello, "401 UNAUTHORIZED"],
    [{ keys: [{ key: "sk_live_other" }] }, "Bearer sk_live_other", hello, "200"],
    [{ keys: [{ key: "sk_live_sandbox", revoked: true }] }, liveKey, hello, "401 UNAUTHORIZED"],
    [{ keys: [{ key: "sk_live_sandbox", ips: ["10.0.0.1"] }] }, liveKey, hello, "403 IP_NOT_ALLOWED"],
    [{ keys: [{ key: "sk_live_sandbox", ips: ["10.0.0.1", "127.0.0.1"] }] }, liveKey, hello, "200"],
    [{ account: { email: "a", password: "b" } }, accountLogin, hello, "401 UNAUTHORIZED"],
    [{ senders: [{ name: "SHOP" }] }, testKey, { ...hello, senderIdName: "ACME" }, "403 SENDER_NOT_AUTHORIZED"],
    [{ senders: [{ name: "A", id: "5E".repeat(12) }] }, testKey, { ...hello, senderId: "5e".repeat(12) }, "200"],
    [{ paths: ["/v1/sms/send"] }, testKey, hello, "404 NOT_FOUND"],
    [{ paths: ["/v1/sms/send", "/api/v1/sms/send"] }, testKey, hello, "200"],
  ])("with %j, a send by %s of %j is answered %s", async (change, authorization, fields, expected) => {
    const sandbox = await runSandbox();
    expect((await tell(sandbox, "account", change)).status).toBe(200);
    expect(await sendAs(sandbox, authorization, fields)).toBe(expected);
  });

  it("the price of a credit sets the cost of a message", async () => {
    const sandbox = await runSandbox();
    await tell(sandbox, "account", { kesPerCredit: 0.335 });
    await post(sandbox, { ...hello, message: "a".repeat(161) });
    expect(sandbox.messages()).toMatchObject([{ totalCredits: 2, totalCostKes: 0.67 }]);
  });

  it("a change appears in the feed", async () => {
    const sandbox = await runSandbox();
    const next = await follow(sandbox);
    await next();
    const keys = [{ key: "sk_test_a" }, { key: "sk_test_b", revoked: true }];
    await tell(sandbox, "account", { credits: 7, rate: 9, keys, senders: [{ name: "SHOP" }] });
    expect(await next()).toEqual([
      "account",
      { keys: ["sk_test_a"], senders: ["SHOP"], paths: account.paths, rate: 9, balance: 7, faults: "none" },
    ]);
  });

  it.each<[unknown, string]>([
    [
      { credit: 1 },
      "credit is unknown; use rate, credits, kesPerCredit, keys, account, senders, paths, bodyCredentials, faults",
    ],
    [
      { credits: -1, rate: 0 },
      "rate must be a whole number from 1 to 1,000,000; credits must be a whole number from 0 to 1,000,000,000",
    ],
    [{ faults: "500" }, 'faults: "500" is not a fault'],
    [[], "it must be a JSON object"],
    [undefined, "it must be a JSON object"],
  ])("refuses %j with 400 and changes nothing", async (change, error) => {
    const sandbox = await runSandbox();
    expect(await read(tell(sandbox, "account", change))).toEqual([400, { error, errorCode: "INVALID_REQUEST" }]);
    expect(await ask(sandbox, "account")).toEqual([200, account]);
  });
});

describe("/_sandbox/send", () => {
  it("sends a message to a number, without charge, and says why it was answered so", async () => {
    const sandbox = await runSandbox();
    const sendTo = (body: object) =>
      read(fetch(`${sandbox.url}/_sandbox/send`, { method: "POST", body: JSON.stringify(body) }));
    expect(await sendTo({ to: "+254700000598" })).toEqual([
      200,
      { reason: "The number is +254700000598: the message was accepted, and the connection was cut" },
    ]);
    expect(await sendTo({})).toEqual([400, { error: "to must be a number", errorCode: "INVALID_REQUEST" }]);
    expect(sandbox.messages()).toMatchObject([{ to: "+254700000598", mode: "test" }]);
    expect((await ask(sandbox, "requests"))[1]).toMatchObject([{ status: 0, messageId: "message-1" }]);
  });
});

describe("/_sandbox/reset", () => {
  it("restores the state at the start", async () => {
    const sandbox = await runSandbox({ rate: 2 });
    const next = await follow(sandbox);
    const beginning = await next();
    const once = { ...hello, to: "+254700000429" };
    expect(await sendAs(sandbox, liveKey, once)).toBe("429 RATE_LIMITED");
    await tell(sandbox, "account", { credits: 1, senders: [{ name: "SHOP" }], faults: "500:100%" });
    await sendAs(sandbox, liveKey);
    const answer = await tell(sandbox, "reset");
    expect([answer.status, await answer.text()]).toEqual([204, ""]);
    expect(await (await follow(sandbox))()).toEqual(beginning);
    // The reset also clears the rate window and the list of numbers that were refused once.
    expect(await sendAs(sandbox, liveKey, once)).toBe("429 RATE_LIMITED");
    expect(await sendAs(sandbox, liveKey, once)).toBe("200");
  });
});
