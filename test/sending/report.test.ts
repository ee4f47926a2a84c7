import { describe, expect, it } from "vitest";
import { folderRuns } from "../../src/record/folder/runs.ts";
import { newRunName } from "../../src/sending/planning.ts";
import { listRuns } from "../../src/reports/run.ts";
import { machine } from "../files/this-process.ts";
import { begunRun, drafts } from "./running.ts";

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
