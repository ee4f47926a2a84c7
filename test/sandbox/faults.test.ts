import { describe, expect, it } from "vitest";
import { faultAt, noFaults, readFaults } from "../../src/sandbox/faults.ts";
import type { HistoryPage } from "../../src/sandbox/history.ts";
import type { Sandbox } from "../../src/sandbox/server.ts";
import { follow, hello, liveKey, post, runSandbox, thrownBy } from "./running.ts";

const hint =
  'write "500:1%,latency:50..200" or none; faults are 400, 401, 402, 403, 429, 500, 502, 503, reset-before, reset-after, hang, garbage, cut-body and latency';

describe("readFaults", () => {
  it.each<[string, Omit<typeof noFaults, "text">]>([
    ["none", { shares: [], latency: [0, 0] }],
    ["500:1%", { shares: [["500", 0.01]], latency: [0, 0] }],
    [
      "500:12.5%, hang:0.5% ,latency:50..200",
      {
        shares: [
          ["500", 0.125],
          ["hang", 0.005],
        ],
        latency: [50, 200],
      },
    ],
    ["latency:7", { shares: [], latency: [7, 7] }],
    ["402:100%", { shares: [["402", 1]], latency: [0, 0] }],
  ])("reads %j", (text, spec) => {
    expect(readFaults(text, "--fault")).toEqual({ text, ...spec });
  });

  it.each([
    ["", '"" is not a fault'],
    ["500", '"500" is not a fault'],
    ["404:1%", '"404:1%" is not a fault'],
    ["none:1%", '"none:1%" is not a fault'],
    ["500:1%,", '"" is not a fault'],
    ["500:1", '"500:1" needs a share above 0% and at most 100%'],
    ["500:0%", '"500:0%" needs a share above 0% and at most 100%'],
    ["500:101%", '"500:101%" needs a share above 0% and at most 100%'],
    ["500:-1%", '"500:-1%" needs a share above 0% and at most 100%'],
    ["500:1e1%", '"500:1e1%" needs a share above 0% and at most 100%'],
    ["500:1%,500:2%", "500 is given twice"],
    ["latency:1,latency:2", "latency is given twice"],
    ["500:60%,hang:41%", "the shares add up to more than 100%"],
    ["latency:9..1", '"latency:9..1" is not latency:MS or latency:MIN..MAX, in milliseconds'],
    ["latency:1.5", '"latency:1.5" is not latency:MS or latency:MIN..MAX, in milliseconds'],
    ["latency:600001", '"latency:600001" is not latency:MS or latency:MIN..MAX, in milliseconds'],
  ])("refuses %j: %s", (text, what) => {
    expect(thrownBy(() => readFaults(text, "--fault"))).toEqual({
      errorCode: "INVALID_FAULT",
      message: `--fault: ${what}`,
      details: [],
      hint,
    });
  });

  it("accepts shares of 100% in total", () => {
    const text = "400:10%,401:10%,402:10%,403:10%,429:10%,500:10%,502:10%,503:10%,hang:10%,garbage:10%";
    const faults = readFaults(text, "--fault");
    expect([0, 0.0999, 0.1, 0.55, 0.9999].map((draw) => faultAt(faults, draw))).toEqual([
      "400",
      "400",
      "401",
      "500",
      "garbage",
    ]);
    expect(faultAt(noFaults, 0)).toBeUndefined();
  });
});

/** The status and the start of the body, or `cut` without a whole answer. */
async function sendTo(sandbox: Sandbox, to: string): Promise<string> {
  try {
    const answer = await post(sandbox, { ...hello, to }, { authorization: liveKey });
    return `${answer.status} ${(await answer.text()).slice(0, 9)}`.trim();
  } catch {
    return "cut";
  }
}

function withFaults(text: string, random = Math.random): Promise<Sandbox> {
  return runSandbox({ faults: readFaults(text, "--fault"), random, credits: 1_000_000, rate: 1_000_000 });
}

describe("a fault with a share of 100%", () => {
  it.each([
    ["400", '400 {"error":', 0],
    ["401", '401 {"error":', 0],
    ["402", '402 {"error":', 0],
    ["403", '403 {"error":', 0],
    ["429", '429 {"error":', 0],
    ["500", '500 {"error":', 0],
    ["502", "502", 0],
    ["503", "503", 0],
    ["reset-before", "cut", 0],
    ["reset-after", "cut", 1],
    ["garbage", "200 <!doctype", 1],
    ["cut-body", "cut", 1],
  ])("%s: %s, %i accepted", async (name, seen, taken) => {
    const sandbox = await withFaults(`${name}:100%`);
    const { to } = hello;
    expect([await sendTo(sandbox, to), sandbox.messages().map(({ fault }) => fault)]).toEqual([
      seen,
      taken === 0 ? [] : [name],
    ]);
    expect(await refusals(sandbox)).toEqual(taken === 0 ? [[to, name]] : []);
  });

  it("latency: delays every answer, refusals too", async () => {
    const sandbox = await withFaults("latency:80");
    const began = performance.now();
    expect([await sendTo(sandbox, hello.to), await sendTo(sandbox, "0712")]).toEqual([
      '200 {"success',
      '400 {"error":',
    ]);
    // Timers may fire a millisecond early by the clock.
    expect(performance.now() - began).toBeGreaterThanOrEqual(158);
  });

  it("does not replace a number ending", async () => {
    const sandbox = await withFaults("503:100%");
    expect(await sendTo(sandbox, "+254700000402")).toBe('402 {"error":');
  });

  it("does not replace other refusals", async () => {
    const sandbox = await withFaults("503:100%");
    expect(await sendTo(sandbox, "0712")).toBe('400 {"error":');
  });
});

/** The recipient and the fault of each refusal. */
async function refusals(sandbox: Sandbox): Promise<readonly unknown[]> {
  const [, snapshot] = await (await follow(sandbox))();
  return (snapshot as HistoryPage).entries.flatMap((entry) =>
    "refusal" in entry ? [[entry.refusal.to, entry.refusal.fault]] : [],
  );
}

it("a send meets the fault whose share its draw is in", async () => {
  const drawn = [0.19, 0.2, 0.29, 0.31];
  const sandbox = await withFaults("500:20%,garbage:10%", () => drawn.shift() ?? 1);
  const seen: string[] = [];
  while (drawn.length > 0) seen.push((await sendTo(sandbox, hello.to)).slice(0, 5));
  expect(seen).toEqual(["500 {", "200 <", "200 <", "200 {"]);
});
