import { expect, it } from "vitest";
import { progressLine } from "../../src/sending/views/run-progress.ts";

const run = {
  all: 5_000,
  doneCount: 1_250,
  failureCount: 3,
  cost: 987.2,
  remaining: 3_750,
  newCount: 1_000,
  ms: 120_000,
};
const large = {
  ...run,
  all: 1_000_000,
  doneCount: 123_456,
  remaining: 876_544,
  newCount: 120_000,
  ms: 300_000,
  cost: 98_765.6,
};
const begun = { ...run, doneCount: 0, failureCount: 0, cost: 0, remaining: 5_000, newCount: 0, ms: 200 };
const ended = { ...run, doneCount: 5_000, remaining: 0, newCount: 4_750 };

it.each([
  [78, run, "███░░░░░░░░░░ 1,250 of 5,000, 3 failed, 7 min 30 s left, KES 987.20"],
  [100, run, "████░░░░░░░░░░░░ 1,250 of 5,000, 3 failed, 7 min 30 s left, KES 987.20, 500 a minute"],
  [48, run, "██░░░░░░ 1,250 of 5,000, 3 failed, KES 987.20"],
  [30, run, "1,250 of 5,000, 3 failed"],
  [10, run, "1,250 of 5,000"],
  [78, large, "█░░░░░░░░░░░░   123,456 of 1,000,000, 3 failed, 36 min 31 s left"],
  [78, begun, "░░░░░░░░░░░░░     0 of 5,000"],
  [78, ended, "█████████████ 5,000 of 5,000, 3 failed, KES 987.20, 2,375 a minute"],
  [78, { ...run, remaining: 300_000 }, "███░░░░░░░░░░ 1,250 of 5,000, 3 failed, 10 h 0 min left, KES 987.20"],
])("a run at %i columns", (columns, progress, line) => {
  expect(progressLine(progress, columns)).toBe(line);
});
