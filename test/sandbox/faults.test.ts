import { describe, expect, it } from "vitest";
import { type FaultSpec, readFaults } from "../../src/sandbox/faults.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { ask, exchange, hello, liveKey, post, read, requestBytes, runSandbox, sendAs } from "./running.ts";

const hint =
  'write "500:1%,latency:50..200" or none; faults are 400, 401, 402, 403, 429, 500, 502, 503, reset-before, reset-after, hang, garbage, cut-body and latency';

describe("readFaults", () => {
  it.each<[string, Omit<FaultSpec, "text">]>([
    ["none", { shares: [], latencyMs: [0, 0] }],
    ["500:12.5% ,latency:50..200", { shares: [["500", 0.125]], latencyMs: [50, 200] }],
    ["latency:7", { shares: [], latencyMs: [7, 7] }],
    ["402:100%", { shares: [["402", 1]], latencyMs: [0, 0] }],
  ])("reads %j", (text, spec) => {
    expect(readFaults(text)).toEqual({ text, ...spec });
  });

  it.each([
    ["", '"" is not a fault'],
    ["404:1%", '"404:1%" is not a fault'],
    ["500:1%,", '"" is not a fault'],
    ["500:1", '"500:1" needs a share above 0% and at most 100%'],
    ["500:101%", '"500:101%" needs a share above 0% and at most 100%'],
    ["500:1%,500:2%", "500 is given twice"],
    ["500:60%,hang:41%", "the shares add up to more than 100%"],
    ["latency:9..1", '"latency:9..1" is not latency:MS or latency:MIN..MAX, in milliseconds'],
    ["latency:600001", '"latency:600001" is not latency:MS or latency:MIN..MAX, in milliseconds'],
  ])("refuses %j: %s", (text, problem) => {
    const error = { kind: "usage", errorCode: "INVALID_FAULT", message: `--fault: ${problem}`, hint };
    expect(() => readFaults(text)).toThrow(expect.objectContaining(error));
  });
});

function withFaults(text: string, random = Math.random): Promise<Sandbox> {
  return runSandbox({ faults: readFaults(text), random, rate: 1_000_000 });
}

/** What comes back over the wire for a live send to that number, until the connection ends. */
function bytesFor(sandbox: Sandbox, to: string): Promise<string> {
  const headers = [`Authorization: ${liveKey}`, "Content-Type: application/json"];
  return exchange(sandbox, requestBytes("POST /api/v1/sms/send", headers, JSON.stringify({ ...hello, to })));
}

const faults = [
  ["400", "000400", /^HTTP\/1\.1 400 .*"INVALID_REQUEST"\}$/s, 0],
  ["401", "000401", /^HTTP\/1\.1 401 .*"UNAUTHORIZED"\}$/s, 0],
  ["402", "000402", /^HTTP\/1\.1 402 .*"INSUFFICIENT_CREDITS"\}$/s, 0],
  ["403", "000403", /^HTTP\/1\.1 403 .*"SENDER_NOT_AUTHORIZED"\}$/s, 0],
  ["429", "000429", /^HTTP\/1\.1 429 .*Retry-After: 1\r\n.*"RATE_LIMITED"\}$/s, 0],
  ["500", "000500", /^HTTP\/1\.1 500 .*"INTERNAL_ERROR"\}$/s, 0],
  ["502", "000502", /^HTTP\/1\.1 502 .*\r\n\r\n$/s, 0],
  ["503", "000503", /^HTTP\/1\.1 503 .*\r\n\r\n$/s, 0],
  ["reset-before", "000597", /^$/, 0],
  ["reset-after", "000598", /^$/, 1],
  ["garbage", "000200", /^HTTP\/1\.1 200 .*<!doctype html>/s, 1],
  ["cut-body", "000201", /^HTTP\/1\.1 200 .*\{"success":true.*[^}]$/s, 1],
] as const;

describe("a fault", () => {
  it.each(faults)(
    "%s by chance or by the number …%s is answered %s, with %i accepted",
    async (name, ending, bytes, taken) => {
      const [byChance, byNumber] = [await withFaults(`${name}:100%`), await withFaults("none")];

      expect(await bytesFor(byChance, hello.to)).toMatch(bytes);
      expect(await bytesFor(byNumber, `+254700${ending}`)).toMatch(bytes);

      for (const { sandbox, fault } of [
        { sandbox: byChance, fault: name },
        { sandbox: byNumber, fault: ending },
      ]) {
        expect(sandbox.messages().map((message) => message.fault)).toEqual(taken === 0 ? [] : [fault]);
        const page = { balance: 100 - taken, entries: [{ fault }] };
        expect(await ask(sandbox, "inbox")).toMatchObject([200, page]);
      }
    },
  );

  it("hang or 000599: accepted, and never answered", async () => {
    const sandbox = await runSandbox();
    const answer = post(sandbox, { ...hello, to: "+254700000599" }, { authorization: liveKey });
    const silence = new Promise((resolve) => setTimeout(resolve, 500, "silence"));
    expect(await Promise.race([answer, silence])).toBe("silence");
    expect(sandbox.messages()).toHaveLength(1);
    await sandbox.close();
    await expect(answer).rejects.toThrow("fetch failed");
  });

  it("000429 is of the first send to the number only", async () => {
    const sandbox = await runSandbox();
    const statuses = [];
    for (let count = 0; count < 3; count++)
      statuses.push((await post(sandbox, { ...hello, to: "+254700000429" })).status);
    expect(statuses).toEqual([429, 200, 200]);
  });

  it("meets the sends whose draw is in its share", async () => {
    const draws = [0.19, 0.2, 0.29, 0.31];
    const sandbox = await withFaults("500:20%,garbage:10%", () => draws.shift() ?? 1);
    const answers = [];
    while (draws.length > 0) answers.push((await (await post(sandbox, hello)).text()).slice(0, 9));
    expect(answers).toEqual(['{"error":', "<!doctype", "<!doctype", '{"success']);
  });

  it("of latency delays every answer, refusals too", async () => {
    const sandbox = await withFaults("latency:80");
    const start = performance.now();
    const answers = [await read(post(sandbox, hello)), await read(post(sandbox, { ...hello, to: "0712" }))];
    expect(answers.map(([status]) => status)).toEqual([200, 400]);
    // Timers may fire a millisecond early by the clock.
    expect(performance.now() - start).toBeGreaterThanOrEqual(158);
  });

  it.each(["000200", "000598", "000599"])("%s is refused with 402 without credits", async (ending) => {
    const sandbox = await runSandbox({ credits: 0 });
    const to = `+254700${ending}`;
    expect(await sendAs(sandbox, liveKey, { ...hello, to })).toBe("402 INSUFFICIENT_CREDITS");
  });

  it.each(["+254700050012", "+254712000500", "+254700000501", "+493170000402"])(
    "is not that of the number %s",
    async (to) => {
      expect((await post(await runSandbox(), { ...hello, to })).status).toBe(200);
    },
  );
});
