import { describe, expect, it } from "vitest";
import { accountLogin, hello, liveKey, post, read, runSandbox, testKey } from "./running.ts";

const twoSegments = { ...hello, message: "a".repeat(161), senderIdName: "ACME" };
const noCredits = [402, { error: "Insufficient SMS credits", errorCode: "INSUFFICIENT_CREDITS" }];

function success(segments: number, totalCostKes: number, newBalance: number, messageId = "message-1") {
  const { to } = hello;
  const sent = { success: true, messageId, segments, totalCredits: segments, totalCostKes };
  return [200, { ...sent, newBalance, status: "queued", to, senderId: "ACME" }];
}

describe("the account of the sandbox", () => {
  it.each([
    ["a live key", liveKey, success(2, 1.6, 98)],
    ["the account's own login", accountLogin, success(2, 1.6, 98)],
    ["a test key", testKey, success(2, 1.6, 100)],
  ])("answers a send by %s with its cost and the new balance", async (_, authorization, expected) => {
    const sandbox = await runSandbox();
    expect(await read(post(sandbox, twoSegments, { authorization }))).toEqual(expected);
  });

  it.each([
    ["160 septets", "a".repeat(160), 1, 0.8],
    ["one septet over", `${"a".repeat(159)}€`, 2, 1.6],
    ["70 UTF-16 units", "я".repeat(70), 1, 0.8],
    ["71 UTF-16 units", "я".repeat(71), 2, 1.6],
    ["1600 UTF-16 units", "я".repeat(1600), 24, 19.2],
  ])("charges %s a credit for each segment", async (_, message, segments, cost) => {
    const sandbox = await runSandbox();
    const answer = read(post(sandbox, { ...twoSegments, message }, { authorization: liveKey }));
    expect(await answer).toEqual(success(segments, cost, 100 - segments));
  });

  it.each([
    ["a live key", liveKey, 1, noCredits],
    ["the account's own login", accountLogin, 1, noCredits],
    ["a live key with just enough", liveKey, 2, success(2, 1.6, 0)],
    ["a test key", testKey, 1, success(2, 1.6, 1)],
  ])("answers a send of two credits by %s", async (_, authorization, credits, expected) => {
    const sandbox = await runSandbox({ credits });
    expect(await read(post(sandbox, twoSegments, { authorization }))).toEqual(expected);
    expect(sandbox.messages()).toHaveLength(expected === noCredits ? 0 : 1);
  });

  it("charges parallel sends exactly and refuses the rest", async () => {
    const sandbox = await runSandbox({ credits: 14 });
    const sends = Array.from({ length: 10 }, () => read(post(sandbox, twoSegments, { authorization: liveKey })));
    const answers = await Promise.all(sends);
    const inOrder = answers.map((one) => JSON.stringify(one)).sort();
    const expected = [12, 10, 8, 6, 4, 2, 0].map((left, n) => success(2, 1.6, left, `message-${n + 1}`));
    expect(inOrder).toEqual([...expected, noCredits, noCredits, noCredits].map((one) => JSON.stringify(one)));
  });
});
