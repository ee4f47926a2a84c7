import { expect, it } from "vitest";
import { watchPasses, whileReading } from "../../src/commands/runs/progress.ts";
import type { Presenter } from "../../src/output/presenter.ts";
import type { Wait } from "../../src/output/waiting.ts";
import { countDue, requireRun } from "../../src/runs/due.ts";
import { reportRun } from "../../src/runs/report.ts";
import { begunRun, drafts, host } from "../runs/running.ts";

it("show and export say how much of a run they have read", async () => {
  const { state } = await begunRun(drafts(10));
  let wait: Wait | undefined;
  const presenter = {
    waitFor: (shown, work) => {
      wait = shown;
      return work();
    },
  } as Partial<Presenter> as Presenter;
  const said = () => (typeof wait === "function" ? wait() : wait);
  const environment = { ...host.environment, SMS_STATE_DIR: state.path };
  await whileReading("test", { host: { ...host, environment }, presenter }, async (run) => {
    const { results } = reportRun(run);
    expect(said()).toBe("Reading run test: 50 %");
    for await (const result of results()) expect(result.outcome).toBeUndefined();
  });
  expect(said()).toBe("Reading run test: 100 %");
});

it("a resume reads the plan twice and the journal once", async () => {
  const { onPass, share } = watchPasses(3);
  const begun = await requireRun((await begunRun(drafts(10))).runs, "test", onPass);
  expect(share()).toBeCloseTo(2 / 3);
  expect(await countDue(begun, { retry: [], guards: [] })).toMatchObject({ messages: 10 });
  expect(share()).toBeCloseTo(1);
});
