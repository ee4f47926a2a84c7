import { expect, it } from "vitest";
import { whileReading } from "../../src/commands/runs/progress.ts";
import type { Presenter } from "../../src/output/presenter.ts";
import type { Wait } from "../../src/output/waiting.ts";
import { countDue } from "../../src/runs/due.ts";
import { reportRun } from "../../src/runs/report.ts";
import { requireRun } from "../../src/record/folder/runs.ts";
import { watchedFiles } from "../../src/record/folder/run-files.ts";
import { begunRun, drafts, host } from "../runs/running.ts";

it("show and export say how much of a run they have read", async () => {
  const { state, name } = await begunRun(drafts(10));
  let wait: Wait | undefined;
  const presenter = {
    waitFor: (shown, work) => {
      wait = shown;
      return work();
    },
  } as Partial<Presenter> as Presenter;
  const said = () => (typeof wait === "function" ? wait() : wait);
  const environment = { ...host.environment, SMS_STATE_DIR: state.path };
  await whileReading(name, { host: { ...host, environment }, presenter }, async (files) => {
    expect(said()).toBe("Reading run test: 0 %");
    const { results } = await reportRun(files, 1);
    expect(said()).toBe("Reading run test: 50 %");
    for await (const result of results()) expect(result.outcome).toBeUndefined();
  });
  expect(said()).toBe("Reading run test: 100 %");
});

it("a resume reads the plan twice and the journal once", async () => {
  const { files, share } = watchedFiles(await begunRun(drafts(10)), { plans: 2, journals: 1 });
  const begun = await requireRun(files);
  expect(share()).toBeGreaterThan(0.5);
  expect(share()).toBeLessThan(0.6);
  expect(await countDue(begun, { retry: [], guards: [] })).toMatchObject({ messages: 10 });
  expect(share()).toBe(1);
});
