import { describe, expect, it } from "vitest";
import { openAccount } from "../../src/sandbox/account.ts";
import { defaultSetup, readSenders } from "../../src/sandbox/setup.ts";
import { accountLogin, ask, hello, liveKey, post, read, runSandbox, sendAs, testKey } from "./running.ts";

const refusal = [401, { error: "Invalid credentials", errorCode: "UNAUTHORIZED" }];

describe("credentials of the sandbox", () => {
  it.each([
    [testKey, "test"],
    ["bearer sk_test_sandbox", "test"],
    [liveKey, "live"],
    ["Bearer sk_live_sandbox-2", "live"],
    ["Bearer sk_test_sandbox-10", "test"],
    [accountLogin, "account"],
    [accountLogin.replace("Basic", "BASIC"), "account"],
  ])("accepts %j as %s", async (authorization, mode) => {
    const sandbox = await runSandbox();
    expect((await post(sandbox, hello, { authorization })).status).toBe(200);
    expect(sandbox.messages()).toMatchObject([{ mode }]);
  });

  it.each([
    "",
    "Bearer",
    "Bearer sk_test_other",
    "Bearer sk_test_sandbox-1",
    "Bearer sk_test_sandbox-02",
    "Bearer sk_live_sandbox-2-3",
    "Bearer SK_TEST_SANDBOX",
    "Bearer sk_test_sandbox more",
    "sk_test_sandbox",
    "Basic !!!%%%",
    `${accountLogin}!`,
    `Basic ${Buffer.from("sandbox@example.com:wrong").toString("base64")}`,
    `Bearer ${accountLogin.slice("Basic ".length)}`,
    "Bearer __proto__",
  ])("refuses %j with 401, whatever the body is", async (authorization) => {
    const sandbox = await runSandbox();
    for (const body of [hello, "{", "x".repeat(70_000)])
      expect(await read(post(sandbox, body, { authorization }))).toEqual(refusal);
    expect(sandbox.messages()).toEqual([]);
  });
});

const twoSegments = { ...hello, message: "a".repeat(161), senderIdName: "ACME" };
const noCredits = [402, { error: "Insufficient SMS credits", errorCode: "INSUFFICIENT_CREDITS" }];

function success(segments: number, totalCostKes: number, newBalance: number, messageId = "message-1") {
  const { to } = hello;
  const receipt = { success: true, messageId, segments, totalCredits: segments, totalCostKes };
  return [200, { ...receipt, newBalance, status: "queued", to, senderId: "ACME" }];
}

describe("the credits of the sandbox", () => {
  it.each([
    { what: "160 septets", message: "a".repeat(160), answer: success(1, 0.8, 99) },
    { what: "one septet over", message: `${"a".repeat(159)}€`, answer: success(2, 1.6, 98) },
    { what: "1600 UTF-16 units", message: "я".repeat(1600), answer: success(24, 19.2, 76) },
    { what: "two segments with one credit", credits: 1, answer: noCredits },
    { what: "two by the account with one credit", authorization: accountLogin, credits: 1, answer: noCredits },
    { what: "two segments with just enough", credits: 2, answer: success(2, 1.6, 0) },
    { what: "two segments by a test key", authorization: testKey, credits: 1, answer: success(2, 1.6, 1) },
  ])("pay $what with one for each segment", async ({ credits, authorization = liveKey, answer, ...fields }) => {
    const sandbox = await runSandbox({ credits: credits ?? 100 });
    const { message = twoSegments.message } = fields;

    expect(await read(post(sandbox, { ...twoSegments, message }, { authorization }))).toEqual(answer);
    expect(sandbox.messages()).toHaveLength(answer === noCredits ? 0 : 1);
  });

  it("are charged exactly for parallel sends", async () => {
    const sandbox = await runSandbox({ credits: 14 });
    const sends = Array.from({ length: 10 }, () => read(post(sandbox, twoSegments, { authorization: liveKey })));
    const answers = await Promise.all(sends);

    const expected = [12, 10, 8, 6, 4, 2, 0].map((left, n) => success(2, 1.6, left, `message-${n + 1}`));
    const texts = (all: readonly unknown[]) => all.map((answer) => JSON.stringify(answer)).toSorted();
    expect(texts(answers)).toEqual(texts([...expected, noCredits, noCredits, noCredits]));
  });
});

describe("the rate of a sandbox", () => {
  it("admits as many as have left a window of one minute, and says how long to wait", () => {
    let clock = 0;
    const { admit } = openAccount({ ...defaultSetup, rate: 100 }, () => clock, String);
    const waits = (count: number) => Array.from({ length: count }, admit);
    const times = (count: number, seconds: number) => Array.from({ length: count }, () => seconds);

    expect(waits(60)).toEqual(times(60, 0));
    clock = 30_000;
    expect(waits(50)).toEqual([...times(40, 0), ...times(10, 30)]);
    clock = 59_999;
    expect(waits(1)).toEqual([1]);
    clock = 60_000;
    expect(waits(61)).toEqual([...times(60, 0), 30]);
  });

  it("is enforced with 429 and Retry-After", async () => {
    let clock = 0;
    const sandbox = await runSandbox({ now: () => clock, rate: 2 });
    await post(sandbox, hello);
    clock = 30_000;
    await post(sandbox, hello);
    const answer = await post(sandbox, hello);

    expect(answer.headers.get("retry-after")).toBe("30");
    expect(answer.status).toBe(429);
    expect(await answer.json()).toEqual({ error: "Too many requests", errorCode: "RATE_LIMITED" });
  });

  it.each<[string, number, number, object, string]>([
    ["a refused send", 400, 429, {}, testKey],
    ["a send by the other key", 200, 429, hello, liveKey],
    ["a request without credentials", 401, 200, hello, ""],
  ])("counts %s if it is authenticated", async (_, status, next, body, authorization) => {
    const sandbox = await runSandbox({ rate: 1 });
    expect((await post(sandbox, body, { authorization })).status).toBe(status);
    expect((await post(sandbox, hello)).status).toBe(next);
  });
});

it("the account of a sandbox is shown, and is as at the start after a reset", async () => {
  const sandbox = await runSandbox({ rate: 2 });
  const beginning = await ask(sandbox, "inbox");
  const once = { ...hello, to: "+254700000429" };
  const sends = [await sendAs(sandbox, liveKey, once), await sendAs(sandbox, liveKey)];
  const spent = await ask(sandbox, "inbox");
  await fetch(`${sandbox.url}/_sandbox/reset`, { method: "POST" });

  const keys = ["sk_test_sandbox", "sk_live_sandbox"];
  const account = { keys, rate: 2, balance: 100, faults: "none" };
  expect(beginning).toMatchObject([200, account]);
  expect(sends).toEqual(["429 RATE_LIMITED", "200"]);
  expect(spent).toMatchObject([200, { balance: 99 }]);
  expect(await ask(sandbox, "inbox")).toMatchObject([200, account]);
  expect(sandbox.messages()).toEqual([]);
  // The reset also clears the rate window and the list of numbers that were refused once.
  expect(await sendAs(sandbox, liveKey, once)).toBe("429 RATE_LIMITED");
  expect(await sendAs(sandbox, liveKey, once)).toBe("200");
});

it("a sender on the command line has a name and an optional identifier", () => {
  const senders = [
    { name: "ACME", id: "5e4de00000000000000000a1" },
    { name: "SHOP", id: "5e4de00000000000000000ff" },
  ];
  expect(readSenders(["ACME", "SHOP:5E4DE00000000000000000FF"])).toEqual(senders);
});

it.each([
  [["A:"], "A:", "has an identifier that is not 24 hexadecimal characters"],
  [["A\u0007"], "A\u0007", "needs a name without control characters"],
  [["A", "A"], "A", "has the name or the identifier of another"],
  [["A", `B:5E4DE${"0".repeat(17)}A1`], `B:5E4DE${"0".repeat(17)}A1`, "has the name or the identifier of another"],
])("a sender on the command line is refused in %j", (texts, named, problem) => {
  const message = `--sender ${JSON.stringify(named)} ${problem}`;
  expect(() => readSenders(texts)).toThrow(expect.objectContaining({ errorCode: "INVALID_OPTION", message }));
});
