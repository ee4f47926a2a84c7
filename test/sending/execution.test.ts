import { requireRun } from "../../src/record/begun-run.ts";
import { mkdirSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { sendPath } from "../../src/service/address.ts";
import { openGate } from "../../src/guards/gate.ts";
import { carryOutRun } from "../../src/sending/execution.ts";
import { accept } from "../support/scripts.ts";
import { begunRun, drafts, host, type TestRun } from "./running.ts";
import { nothing, serve } from "./service.ts";

/** Carries out a run of three messages in the program's way, after `change` to its files. */
async function carryOut(change: (run: TestRun) => void = () => {}, onExchange: (name: string) => void = () => {}) {
  const server = await serve(accept());
  const run = await begunRun(drafts(3));
  const held = await run.runs.hold("test");
  const open = { ...(await requireRun(run.runs, "test")), held };
  change(run);
  const service = {
    address: { origin: server.url, basePath: "", isLoopback: true },
    path: sendPath,
    credentials: { kind: "key", key: { mode: "test", secret: "sk_test_x" } },
    proxy: undefined,
    userAgent: "test",
  } as const;
  const policy = {
    inFlight: { first: 1, most: 1 },
    time: { kind: "per-request", ms: 5_000 } as const,
    retries: 0,
    maxCredits: Infinity,
    rate: 15_000,
    retry: [],
    guards: [],
    gate: openGate([], host.wallClock),
  };
  const exchanges: string[] = [];
  const wireLog = (name: string) => {
    onExchange(name);
    return (event: { readonly kind: string }) => void exchanges.push(`${name} ${event.kind}`);
  };
  const ended = carryOutRun(open, { service, policy, host }, { event: () => {}, wireLog, redact: (text) => text });
  return { server, ended, exchanges };
}

it("is sent, with its last receipt and a log of each exchange", async () => {
  const { server, ended, exchanges } = await carryOut();
  expect(await ended).toMatchObject({
    ending: "accepted",
    tally: { ...nothing, accepted: 3 },
    lastAccepted: { kind: "accepted", receipt: { to: drafts(3)[2]?.to } },
    error: undefined,
  });
  expect(exchanges).toEqual([1, 2, 3].flatMap((number) => [`${number} request`, `${number} exchange`]));
  expect(server.connections()).toBe(3);
});

it("whose journal cannot be opened is refused, with nothing sent and the journal's name", async () => {
  const { server, ended } = await carryOut(({ journal }) => {
    rmSync(journal);
    mkdirSync(journal);
  });
  await expect(ended).rejects.toMatchObject({ kind: "usage", message: expect.stringContaining("journal") });
  expect(server.requests).toHaveLength(0);
});

it("leaves what was not sent pending if a fault comes before its request", async () => {
  const { server, ended } = await carryOut(undefined, (name) => {
    if (name === "2") throw new RangeError("Array buffer allocation failed");
  });
  expect(await ended).toMatchObject({
    ending: "fault",
    tally: { ...nothing, accepted: 1, pending: 2 },
    error: { message: "Array buffer allocation failed" },
  });
  expect(server.requests).toHaveLength(1);
});
