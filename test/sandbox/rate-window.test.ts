import { describe, expect, it } from "vitest";
import { openAccount } from "../../src/sandbox/account.ts";
import { defaultSetup } from "../../src/sandbox/setup.ts";
import { hello, liveKey, post, read, runSandbox, testKey } from "./running.ts";

function times<T>(count: number, what: T): readonly T[] {
  return Array.from({ length: count }, () => what);
}

function openAt(now: () => number, rate: number) {
  return openAccount({ publish: () => {}, setup: { ...defaultSetup, rate }, now, newId: () => "" });
}

describe("a window of one minute", () => {
  it("admits as many as have left the window", () => {
    let clock = 0;
    const { admit } = openAt(() => clock, 100);
    const waits = (count: number) => Array.from({ length: count }, admit);
    expect(waits(60)).toEqual(times(60, 0));
    clock = 30_000;
    expect(waits(50)).toEqual([...times(40, 0), ...times(10, 30)]);
    clock = 60_000;
    expect(waits(61)).toEqual([...times(60, 0), 30]);
    clock = 90_000;
    expect(waits(41)).toEqual([...times(40, 0), 30]);
  });

  it.each([
    [0, 60],
    [1, 60],
    [1000, 59],
    [59_000, 1],
    [59_999, 1],
    [60_000, 0],
  ])("after %i ms the wait is %i s", (elapsed, wait) => {
    let clock = 0;
    const { admit } = openAt(() => clock, 1);
    admit();
    clock = elapsed;
    expect(admit()).toBe(wait);
  });
});

describe("the rate of a sandbox", () => {
  it.each([7, 100])("of %i a minute is kept", (limit) => {
    const setup = { ...defaultSetup, rate: limit };
    const { admit } = openAccount({ publish: () => {}, setup, now: () => 0, newId: () => "" });
    expect(Array.from({ length: limit + 1 }, admit)).toEqual([...times(limit, 0), 60]);
  });

  it("is enforced with 429 and Retry-After", async () => {
    let clock = 0;
    const sandbox = await runSandbox({ now: () => clock, rate: 2 });
    await post(sandbox, hello);
    clock = 30_000;
    await post(sandbox, hello);
    const answer = await post(sandbox, hello);
    expect([answer.headers.get("retry-after"), await read(Promise.resolve(answer))]).toEqual([
      "30",
      [429, { error: "Too many requests", errorCode: "RATE_LIMITED" }],
    ]);
    expect(sandbox.messages()).toHaveLength(2);
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
