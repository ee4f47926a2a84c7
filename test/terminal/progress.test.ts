import { expect, it } from "vitest";
import { progressLine } from "../../src/sending/views/run-progress.ts";

const run = { all: 5_000, done: 1_250, failed: 3, cost: 987.2, left: 3_750, sent: 1_000, ms: 120_000 };
const large = { ...run, all: 1_000_000, done: 123_456, left: 876_544, sent: 120_000, ms: 300_000, cost: 98_765.6 };
const begun = { ...run, done: 0, failed: 0, cost: 0, left: 5_000, sent: 0, ms: 200 };
const ended = { ...run, done: 5_000, left: 0, sent: 4_750 };

it.each([
  [78, run, "███░░░░░░░░░░ 1,250 of 5,000, 3 failed, 7 min 30 s left, KES 987.20"],
  [100, run, "████░░░░░░░░░░░░ 1,250 of 5,000, 3 failed, 7 min 30 s left, KES 987.20, 500 a minute"],
  [48, run, "██░░░░░░ 1,250 of 5,000, 3 failed, KES 987.20"],
  [30, run, "1,250 of 5,000, 3 failed"],
  [10, run, "1,250 of 5,000"],
  [78, large, "█░░░░░░░░░░░░   123,456 of 1,000,000, 3 failed, 36 min 31 s left"],
  [78, begun, "░░░░░░░░░░░░░     0 of 5,000"],
  [78, ended, "█████████████ 5,000 of 5,000, 3 failed, KES 987.20, 2,375 a minute"],
  [118, ended, "███████████████████ 5,000 of 5,000, 3 failed, KES 987.20, 2,375 a minute"],
  [78, { ...run, left: 300_000 }, "███░░░░░░░░░░ 1,250 of 5,000, 3 failed, 10 h 0 min left, KES 987.20"],
])("a run at %i columns", (columns, progress, line) => {
  expect(progressLine(progress, columns)).toBe(line);
});
