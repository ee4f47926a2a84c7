import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { folderRuns } from "../../src/record/folder/runs.ts";
import { newRunName } from "../../src/runs/planning.ts";
import { listRuns, weighEvidence } from "../../src/runs/report.ts";
import { machine } from "../files/this-process.ts";
import { begunRun, drafts } from "./running.ts";
import { seed } from "../support/seed.ts";

/** Receipts as `[totalCredits, newBalance]`. */
function charges(...pairs: readonly (readonly [number, number])[]) {
  return pairs.map(([totalCredits, newBalance]) => ({ totalCredits, newBalance }));
}

describe("weighEvidence", () => {
  it.each([
    ["one receipt", charges([1, 99]), 4, { kind: "measured", surplus: 0 }],
    ["receipts that account for all", charges([1, 99], [2, 97], [1, 96]), 1, { kind: "measured", surplus: 0 }],
    ["a charge without a receipt", charges([1, 99], [1, 96], [1, 95]), 1, { kind: "measured", surplus: 2 }],
    ["answers that overtook each other", charges([1, 97], [1, 99], [1, 98]), 4, { kind: "measured", surplus: 0 }],
    ["both", charges([1, 95], [1, 99], [1, 98]), 4, { kind: "measured", surplus: 2 }],
    ["a top-up", charges([1, 10], [1, 9], [1, 1008], [1, 1007]), 1, { kind: "topped-up" }],
    ["a top-up onto ground that was charged before", charges([1, 10], [1, 9], [1, 10]), 4, { kind: "topped-up" }],
    ["a balance that does not move", charges([1, 99], [1, 99]), 1, { kind: "topped-up" }],
    ["no receipt", [], 4, { kind: "none" }],
    ["a receipt without a balance", [...charges([1, 99]), { totalCredits: 1 }], 4, { kind: "none" }],
    ["a receipt without credits", [{ newBalance: 98 }], 4, { kind: "none" }],
  ] as const)("of %s", (_, receipts, inFlight, evidence) => {
    expect(weighEvidence(receipts, inFlight)).toEqual(evidence);
  });

  it("finds what was charged without a receipt between the first and the last, in whatever order answers come", () => {
    const message = fc.record({ credits: fc.integer({ min: 1, max: 9 }), isCertain: fc.boolean() });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 40 }), fc.integer({ min: 1, max: 8 }), (middle, inFlight) => {
        const ends = { credits: 1, isCertain: true };
        let balance = 10_000;
        const receipts = [ends, ...middle, ends].flatMap(({ credits, isCertain }) => {
          balance -= credits;
          return isCertain ? charges([credits, balance]) : [];
        });
        const answers = receipts
          .map((charge, index) => ({ charge, at: index - (index % inFlight) }))
          .map(({ charge, at }, index) => ({ charge, at: at + (inFlight - (index % inFlight)) / 100 }))
          .sort((a, b) => a.at - b.at)
          .map(({ charge }) => charge);
        const surplus = middle.reduce((sum, { credits, isCertain }) => sum + (isCertain ? 0 : credits), 0);
        expect(weighEvidence(answers, inFlight)).toEqual({ kind: "measured", surplus });
      }),
      { seed },
    );
  });
});

describe("the runs of a record", () => {
  it("are listed, the latest first, and no more than are asked for", async () => {
    const { runs, state } = await begunRun(drafts(2));
    const [listed] = (await listRuns(runs, 1)).runs;
    if (listed === undefined) throw new Error("no run");
    for (const day of [3, 2]) {
      const held = await folderRuns(state, machine).hold(`day-${day}`);
      await held.plan(drafts(2));
      await held.begin({ ...listed.header, name: held.name, started: `2026-01-0${day}T00:00:00.000Z` });
    }
    const { runs: latest, earlier, damaged } = await listRuns(runs, 2);
    expect(latest.map(({ header, tally }) => [header.name, tally.pending])).toEqual([
      ["day-3", 2],
      ["day-2", 2],
    ]);
    expect({ earlier, damaged }).toEqual({ earlier: 1, damaged: [] });
  });

  it.each([
    [0, "20260102-030405-0000"],
    [0.999_999_9, "20260102-030405-zzzz"],
  ])("are named by time and chance %d where none is given: %s", (random, name) => {
    expect(newRunName(Date.UTC(2026, 0, 2, 3, 4, 5, 678), random)).toBe(name);
  });
});
