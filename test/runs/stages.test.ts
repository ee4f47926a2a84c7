import { readFileSync, truncateSync } from "node:fs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sendPath } from "../../src/message/address.ts";
import { requireRun, type Retry } from "../../src/runs/due.ts";
import { carryOutStages, type FirstStage } from "../../src/runs/execution.ts";
import type { Script } from "../support/scripted-server.ts";
import { accept } from "../support/scripts.ts";
import { seed } from "../support/seed.ts";
import { begunRun, drafts, host, numberOf, type TestRun } from "./running.ts";
import { byIndex, cut, refuse, serve } from "./service.ts";

const stop = { ending: "limit", failure: undefined } as const;

/** Sends a run in stages. `signal` ends it as a signal does. */
async function send(
  { runs }: TestRun,
  origin: string,
  stopAfter: (stage: FirstStage) => typeof stop | undefined = () => stop,
  { retry = [], signal = new AbortController().signal }: { readonly retry?: Retry; readonly signal?: AbortSignal } = {},
) {
  const held = await runs.hold("test");
  const run = { ...(await requireRun(runs, "test")), held };
  const service = {
    address: { origin, basePath: "", isLoopback: true },
    path: sendPath,
    credentials: { kind: "key", key: { mode: "test", secret: "sk_test_x" } },
    proxy: undefined,
    userAgent: "test",
  } as const;
  const limits = { concurrency: 2, timeout: 5_000, retries: 0, maxCredits: Infinity };
  const policy = { ...limits, rate: 1e6, retry, guards: [] };
  const observer = { event: () => {}, wireLog: undefined, redact: (text: string) => text };
  const machine = { ...host, interruption: () => ({ stop: signal, leave: new AbortController().signal }) };
  try {
    return await carryOutStages(run, service, policy, machine, observer, async (stage) => stopAfter(stage));
  } finally {
    await held.release();
  }
}

const sameCost = { segments: 2, totalCredits: 2, totalCostKes: 1.6 };

describe("a run with first messages", () => {
  it("sends these alone, weighs their charge, and asks", async () => {
    const server = await serve(accept());
    const files = await begunRun(drafts(5), { first: { count: 2, kesPerCredit: 0.8 } });
    const stages: FirstStage[] = [];
    const ask = (stage: FirstStage) => {
      stages.push(stage);
      return stop;
    };
    const charge = {
      messages: 2,
      accepted: 2,
      estimate: sameCost,
      charged: sameCost,
      isSameCost: true,
      isAsEstimated: true,
    };
    expect(await send(files, server.url, ask)).toMatchObject({
      ending: "limit",
      tally: { accepted: 2, pending: 3 },
      firstCharge: charge,
    });
    expect(server.sent().toSorted()).toEqual([numberOf(0), numberOf(1)]);
    expect((await send(files, server.url, ask)).ending).toBe("limit");
    expect(stages).toEqual([
      { charge, isNew: true, rest: 3 },
      { charge, isNew: false, rest: 3 },
    ]);
    expect(server.requests).toHaveLength(2);
  });

  it("goes on with the rest, each once", async () => {
    const server = await serve(accept());
    const files = await begunRun(drafts(5), { first: { count: 2 } });
    const result = await send(files, server.url, () => undefined);
    expect(result).toMatchObject({ ending: "accepted", tally: { accepted: 5 }, firstCharge: { isAsEstimated: true } });
    expect(server.sent().toSorted()).toEqual(drafts(5).map(({ to }) => to));
  });

  it.each([
    ["another count of segments", accept({ segments: 2 })],
    ["another charge", accept({ totalCredits: 2 })],
    ["another price", accept({ totalCostKes: 0.9 })],
    ["no charge", accept({ totalCredits: undefined })],
    ["a refusal", byIndex({ 1: refuse(400) })],
    ["a doubt", byIndex({ 0: cut })],
    ["a message that was not sent", byIndex({ 0: refuse(429) })],
  ])("knows a difference: %s", async (_, script) => {
    const server = await serve(script);
    const files = await begunRun(drafts(3), { first: { count: 2, kesPerCredit: 0.8 } });
    expect((await send(files, server.url)).firstCharge?.isAsEstimated).toBe(false);
    expect(server.sent()).not.toContain(numberOf(2));
  });

  it("compares them if there is no rest, and does not if something else stopped it", async () => {
    const rests: number[] = [];
    const server = await serve(accept());
    const whole = await send(await begunRun(drafts(2), { first: { count: 9 } }), server.url, ({ rest }) => {
      rests.push(rest);
      return undefined;
    });
    expect({ ending: whole.ending, rests }).toEqual({ ending: "accepted", rests: [0] });
    const never = () => {
      throw new Error("asked");
    };
    const refusing = await serve(refuse(401));
    const refused = await begunRun(drafts(3), { first: { count: 1 } });
    expect((await send(refused, refusing.url, never)).ending).toBe("unauthorized");
  });

  it("repeats an uncertain one of the first once, if that is asked for", async () => {
    const server = await serve(byIndex({ 0: cut }));
    const files = await begunRun(drafts(3), { first: { count: 1 } });
    await send(files, server.url);
    await send(files, server.url, () => undefined, { retry: ["uncertain"] });
    expect(server.sent().filter((to) => to === numberOf(0))).toHaveLength(2);
  });
});

const scripts: Readonly<Record<string, Script>> = {
  accept: accept(),
  expensive: accept({ totalCredits: 2 }),
  refuse: refuse(400),
  tooMany: refuse(429),
  cut,
};
const invocations = fc.array(
  fc.record({
    turns: fc.array(fc.constantFrom("accept", "accept", "accept", ...Object.keys(scripts)), { maxLength: 6 }),
    /** The request at which a signal comes, and the part of the journal that a kill leaves. */
    stopAt: fc.option(fc.nat(6), { nil: undefined }),
    left: fc.constantFrom(1, 1, 0.7, 0.4),
  }),
  { minLength: 1, maxLength: 5 },
);

it("sends nobody but the first until their charge is as estimated, whatever ends it, and then misses nobody", async () => {
  let script: Script = accept();
  const outside: string[] = [];
  const server = await serve((...request) => script(...request));
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 1, max: 7 }),
      fc.integer({ min: 1, max: 7 }),
      invocations,
      async (rows, count, history) => {
        const files = await begunRun(drafts(rows), { first: { count } });
        const others = new Set(
          drafts(rows)
            .slice(count)
            .map(({ to }) => to),
        );
        let isAllowed = false;
        const decide = ({ charge }: FirstStage) => {
          expect(charge.isAsEstimated && charge.accepted < charge.messages).toBe(false);
          isAllowed = charge.isAsEstimated;
          return isAllowed ? undefined : stop;
        };
        for (const { turns, stopAt, left } of history) {
          const signal = new AbortController();
          isAllowed = false;
          let requests = 0;
          script = (socket, request, index) => {
            const { to } = JSON.parse(request.body) as { to: string };
            if (!isAllowed && others.has(to)) outside.push(to);
            if (requests === stopAt) signal.abort("SIGINT");
            (scripts[turns[requests++] ?? "accept"] ?? accept())(socket, request, index);
          };
          await send(files, server.url, decide, { signal: signal.signal });
          expect(outside).toEqual([]);
          const journal = readFileSync(files.journal);
          const end = journal.indexOf("\n", Math.floor(journal.length * left) - 1);
          truncateSync(files.journal, end + 1);
        }
        script = accept();
        const { tally } = await send(files, server.url, () => undefined);
        expect(tally).toMatchObject({ pending: 0, unsent: 0 });
      },
    ),
    { numRuns: 10, seed },
  );
});
