import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { expect, it } from "vitest";
import { sendPath } from "../../src/message/address.ts";
import { carryOutRun } from "../../src/runs/execution.ts";
import type { RunFiles } from "../../src/record/folder/run-files.ts";
import { readRun } from "../../src/record/folder/runs.ts";
import { accept } from "../support/scripts.ts";
import { begunRun, drafts, host } from "./running.ts";
import { nothing, serve } from "./service.ts";

/** Carries out a run of three messages in the program's way, after `change` to its files. */
async function carryOut(
  change: (files: RunFiles) => void = () => {},
  { isOurs = () => true, onExchange = () => {} }: { isOurs?: () => boolean; onExchange?: (name: string) => void } = {},
) {
  const server = await serve(accept());
  const files = await begunRun(drafts(3));
  const begun = await readRun(files);
  if (begun === undefined) throw new Error("the run has not begun");
  change(files);
  const service = {
    address: { origin: server.url, basePath: "", isLoopback: true },
    path: sendPath,
    credentials: { kind: "key", key: { mode: "test", secret: "sk_test_x" } },
    proxy: undefined,
    userAgent: "test",
  } as const;
  const policy = {
    concurrency: 1,
    timeout: 5_000,
    retries: 0,
    maxCredits: Infinity,
    rate: 15_000,
    retry: [],
    guards: [],
  };
  const exchanges: string[] = [];
  const wireLog = (name: string) => {
    onExchange(name);
    return (event: { readonly kind: string }) => void exchanges.push(`${name} ${event.kind}`);
  };
  const run = { ...begun, isOurs, close: () => {} };
  const ended = carryOutRun(run, service, policy, host, { event: () => {}, wireLog, redact: (text) => text });
  return { server, ended, exchanges, files };
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

it("leaves what was not sent pending if the journal fails, or a fault comes before its request", async () => {
  let asked = 0;
  const unrecorded = await carryOut(undefined, { isOurs: () => ++asked !== 2 });
  expect(await unrecorded.ended).toMatchObject({
    ending: "incomplete",
    tally: { ...nothing, accepted: 1, pending: 2 },
    error: { errorCode: "RUN_NOT_RECORDED" },
  });
  const faulty = await carryOut(undefined, {
    onExchange: (name) => {
      if (name === "2") throw new RangeError("Array buffer allocation failed");
    },
  });
  expect(await faulty.ended).toMatchObject({
    ending: "fault",
    tally: { ...nothing, accepted: 1, pending: 2 },
    error: { message: "Array buffer allocation failed" },
  });
  expect([unrecorded.server.requests.length, faulty.server.requests.length]).toEqual([1, 1]);
});

it("writes nothing more into the journal of a run that is no longer ours", async () => {
  let asked = 0;
  const { ended, files } = await carryOut(undefined, { isOurs: () => ++asked < 2 });
  expect(await ended).toMatchObject({ ending: "incomplete", tally: { ...nothing, accepted: 1, pending: 2 } });
  expect(readFileSync(files.journal, "utf8")).not.toContain("released");
});
