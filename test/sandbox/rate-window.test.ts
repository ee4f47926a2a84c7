import { describe, expect, it } from "vitest";
import { hello, liveKey, post, read, runSandbox, testKey } from "./running.ts";

async function statuses(count: number, send: () => Promise<Response>): Promise<readonly number[]> {
  const seen: number[] = [];
  for (let sent = 0; sent < count; sent++) seen.push((await send()).status);
  return seen;
}

function times(count: number, status: number): readonly number[] {
  return Array.from({ length: count }, () => status);
}

describe("the rate of the tier", () => {
  it.each([
    ["free", 100],
    ["starter", 500],
    ["professional", 2000],
  ] as const)("lets the %s tier send %i a minute", async (tier, limit) => {
    const sandbox = await runSandbox({ tier });
    expect(await statuses(limit + 1, () => post(sandbox, hello))).toEqual([...times(limit, 200), 429]);
    expect(sandbox.messages()).toHaveLength(limit);
  });

  it.each([
    [0, "60"],
    [1, "60"],
    [1000, "59"],
    [59_000, "1"],
    [59_999, "1"],
  ])("asks after %i ms to wait %s s", async (elapsed, retryAfter) => {
    let clock = 0;
    const sandbox = await runSandbox({ now: () => clock });
    await statuses(100, () => post(sandbox, hello));
    clock = elapsed;
    const answer = post(sandbox, hello);
    expect(await read(answer.then((one) => one.clone()))).toEqual([
      429,
      { error: "Too many requests", errorCode: "RATE_LIMITED" },
    ]);
    expect((await answer).headers.get("retry-after")).toBe(retryAfter);
  });

  it("lets in again as many as have left the window, and no more", async () => {
    let clock = 0;
    const sandbox = await runSandbox({ now: () => clock });
    const send = () => post(sandbox, hello);
    await statuses(60, send);
    clock = 30_000;
    expect(await statuses(50, send)).toEqual([...times(40, 200), ...times(10, 429)]);
    clock = 60_000;
    expect(await statuses(61, send)).toEqual([...times(60, 200), 429]);
    clock = 90_000;
    expect(await statuses(41, send)).toEqual([...times(40, 200), 429]);
  });

  it.each<[string, number, number, object, string]>([
    ["a refused send", 400, 429, {}, testKey],
    ["a send by the other key", 200, 429, hello, liveKey],
    ["a request without credentials", 401, 200, hello, ""],
  ])("counts %s by whether it is the account's", async (_, status, next, body, authorization) => {
    const sandbox = await runSandbox();
    expect(await statuses(100, () => post(sandbox, body, { authorization }))).toEqual(times(100, status));
    expect((await post(sandbox, hello)).status).toBe(next);
  });
});
