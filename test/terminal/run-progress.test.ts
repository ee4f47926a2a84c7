import { describe, expect, it } from "vitest";
import type { Presenter } from "../../src/terminal/context.ts";
import { progressLine, showProgress } from "../../src/sending/views/run-progress.ts";
import type { PlannedMessage } from "../../src/record/plan.ts";
import { terminal } from "./page.ts";
import { Ledger } from "../../src/record/ledger.ts";

const refused = { kind: "refused", error: "No", errorCode: "NO" } as const;
const receipt = { success: true, messageId: "m", totalCredits: 1, totalCostKes: 0.8, to: "+254712345678" } as const;
const accepted = { kind: "accepted", receipt } as const;

/** A run of ten messages that was stopped after four were accepted and one was refused. */
function stoppedRun(): Ledger {
  const ledger = new Ledger(new Uint8Array(10).fill(1));
  ledger.apply({ kind: "intent", indexes: [0, 1, 2, 3, 4] });
  for (const index of [0, 1, 2, 3]) ledger.apply({ kind: "accepted", index, receipt });
  ledger.apply({ kind: "rejected", index: 4, failure: refused });
  return ledger;
}

/** The progress of that run when it is resumed, on a terminal whose clock is `time`. */
function resumed(showsWaits: boolean) {
  const time = { now: 1_000 };
  const told: string[] = [];
  const tell: Presenter["tell"] = (text) => void told.push(text(terminal(80)));
  const note: Presenter["note"] = (text) => void told.push(text);
  const presenter = { showsWaits, tell, note, show: () => {} } as Partial<Presenter> as Presenter;
  const ledger = stoppedRun();
  const start = { countToSend: 5, retry: [], isCharged: true };
  const { event, status } = showProgress(presenter, ledger, start, () => time.now);
  return {
    time,
    told,
    settle: (index: number, outcome: typeof accepted | { kind: "rejected"; failure: typeof refused }) => {
      const message: PlannedMessage = { index, line: index + 1, to: receipt.to, text: "Hi", segments: 1 };
      ledger.apply({ kind: "intent", indexes: [index] });
      ledger.apply(outcome.kind === "accepted" ? { ...outcome, index } : { ...outcome, index });
      event({ kind: "final", message, outcome });
    },
    leaveOut: (index: number) => {
      const message: PlannedMessage = { index, line: index + 1, to: receipt.to, text: "Hi", segments: 1 };
      const hold = { effect: "leave-out", sentence: "", errorCode: "", hint: "" } as const;
      ledger.apply({ kind: "left-out", reason: "optedOut", indexes: [index] });
      event({ kind: "left-out", message, hold });
      return message;
    },
    leaveOutInDoubt: (index: number, leaveOut: (index: number) => PlannedMessage) => {
      ledger.apply({ kind: "intent", indexes: [index] });
      ledger.apply({ kind: "uncertain", index, failure: refused });
      event({ kind: "final", message: leaveOut(index), outcome: { kind: "uncertain", failure: refused } });
    },
    pause: (ms: number) => event({ kind: "waiting", ms, failure: refused }),
    lines: () => (typeof status === "object" ? status.lines(78).map((line) => line.replace(/^[█░]+ /, "")) : []),
  };
}

describe("the progress of a resumed run", () => {
  it("counts the whole run, and the rate of this invocation", () => {
    const { time, settle, lines } = resumed(true);
    expect(lines()).toEqual([" 5 of 10, 1 rejected, KES 3.20"]);
    time.now += 2_000;
    settle(5, accepted);
    settle(6, { kind: "rejected", failure: refused });
    expect(lines()).toEqual([" 7 of 10, 2 rejected, 3 s left, KES 4.00, 60 a minute"]);
    for (const index of [7, 8, 9]) settle(index, accepted);
    expect(lines()).toEqual(["10 of 10, 2 rejected, KES 6.40, 150 a minute"]);
  });

  it("counts as done what is uncertain, unless it is tried again", () => {
    const ledger = stoppedRun();
    ledger.apply({ kind: "intent", indexes: [5] });
    const linesOf = (retry: readonly string[], countToSend: number) => {
      const presenter = { showsWaits: true } as Partial<Presenter> as Presenter;
      const { status } = showProgress(presenter, ledger, { countToSend, retry, isCharged: false }, () => 0);
      return status.lines(78).map((line) => line.replace(/^[█░]+ /, ""));
    };
    expect(linesOf([], 4)).toEqual([" 6 of 10, 1 rejected, 1 uncertain, would cost KES 3.20"]);
    expect(linesOf(["uncertain"], 5)).toEqual([" 5 of 10, 1 rejected, would cost KES 3.20"]);
  });

  it("says once that messages wait together, and again that one waits longer or later", () => {
    const { time, told, pause } = resumed(false);
    for (const ms of [22_000, 22_400, 21_000, 37_000, 22_000]) pause(ms);
    time.now += 37_000;
    pause(22_000);
    expect(told.map((text) => /Waiting (\d+)/.exec(text)?.[1])).toEqual(["22", "37", "22"]);
  });

  it("no longer counts who is left out meanwhile", () => {
    const { settle, leaveOut, lines } = resumed(true);
    leaveOut(6);
    settle(5, accepted);
    expect(lines()).toEqual([expect.stringMatching(/^6 of 9, 1 rejected, .* left/)]);
  });

  it("counts who is left out and stays in doubt", () => {
    const { leaveOut, leaveOutInDoubt, settle, lines } = resumed(true);
    for (const index of [5, 6, 7, 8]) settle(index, accepted);
    leaveOutInDoubt(9, leaveOut);
    expect(lines()).toEqual([expect.stringMatching(/^10 of 10, 1 rejected, 1 uncertain/)]);
  });

  it("counts a pause down below the bar, or says it once if nobody sees that", () => {
    const [seen, unseen] = [resumed(true), resumed(false)];
    for (const { pause } of [seen, unseen]) pause(2_000);
    expect(seen.lines()[1]).toBe("Waiting 2 s: No");
    seen.time.now += 1_500;
    expect(seen.lines()[1]).toBe("Waiting 1 s: No");
    seen.time.now += 600;
    expect(seen.lines()).toHaveLength(1);
    expect([seen.told, unseen.told]).toEqual([[], ["Waiting 2 s: No\n"]]);
  });

  it("is a line each minute where no terminal shows it", () => {
    const [seen, unseen] = [resumed(true), resumed(false)];
    for (const { time, settle } of [seen, unseen]) {
      settle(5, accepted);
      time.now += 59_999;
      settle(6, accepted);
      time.now += 1;
      settle(7, accepted);
      settle(8, accepted);
      time.now += 60_000;
      settle(9, { kind: "rejected", failure: refused });
    }
    expect(seen.told).toEqual([]);
    expect(unseen.told).toEqual([
      "8 of 10, 1 rejected, 40 s left, KES 5.60, 3 a minute",
      "10 of 10, 2 rejected, KES 6.40, 3 a minute",
    ]);
  });
});

const counts = { rejected: 2, unsent: 0, uncertain: 3 };
const run = {
  all: 5000,
  doneCount: 1250,
  counts,
  isCharged: true,
  cost: 987.2,
  newCount: 1000,
  ms: 120_000,
};
const large = { ...run, all: 1e6, doneCount: 123_456, newCount: 120_000, ms: 3e5, cost: 98_765.6 };
const begun = {
  ...run,
  doneCount: 0,
  counts: { rejected: 0, unsent: 0, uncertain: 0 },
  cost: 0,
  newCount: 0,
  ms: 200,
};
const ended = { ...run, doneCount: 5_000, newCount: 4_750 };

it.each([
  [78, run, "███░░░░░░░░░░ 1,250 of 5,000, 2 rejected, 3 uncertain, 7 min 30 s left"],
  [100, run, "████░░░░░░░░░░░░ 1,250 of 5,000, 2 rejected, 3 uncertain, 7 min 30 s left, KES 987.20, 500 a minute"],
  [
    78,
    { ...run, isCharged: false, counts: begun.counts },
    "███░░░░░░░░░░ 1,250 of 5,000, 7 min 30 s left, would cost KES 987.20",
  ],
  [48, run, "██░░░░░░ 1,250 of 5,000, 2 rejected, 3 uncertain"],
  [42, run, "1,250 of 5,000, 2 rejected, 3 uncertain"],
  [30, run, "1,250 of 5,000, 2 rejected, 3 uncertain"],
  [78, large, "█░░░░░░░░░░░░   123,456 of 1,000,000, 2 rejected, 3 uncertain"],
  [78, begun, "░░░░░░░░░░░░░     0 of 5,000"],
  [78, ended, "█████████████ 5,000 of 5,000, 2 rejected, 3 uncertain, KES 987.20"],
  [78, { ...run, ms: 9_600_000 }, "███░░░░░░░░░░ 1,250 of 5,000, 2 rejected, 3 uncertain, 10 h 0 min left"],
])("a run at %i columns", (columns, progress, line) => {
  expect(progressLine(progress, columns)).toBe(line);
});
