import { describe, expect, it } from "vitest";
import { runView, type ShownRun } from "../../src/sending/recorded/show.ts";
import { Failures, runSummaryView } from "../../src/sending/views/run-summary.ts";
import { emptyTally, headerOf, terminal, widest } from "./page.ts";

const message = { index: 0, line: 12, to: "+254712345678", text: "Hi", segments: 1 };
const error = "the connection broke before the answer was complete: other side closed";
const outcome = { kind: "uncertain", failure: { kind: "no-answer", error, errorCode: "BROKEN" } } as const;

const failures = new Failures();
failures.add(message, outcome);

const counts = { accepted: 38, rejected: 2, uncertain: 1, pending: 959, due: 959 };
const tally = { ...emptyTally, ...counts, segments: 41, totalCredits: 38, totalCostKes: 30.4, newBalance: 962 };

const summary: Parameters<typeof runSummaryView>[0] = {
  run: "topup",
  destination: { mode: "live", isSandbox: false, otherService: undefined },
  tally,
  countToSend: 1000,
  acceptedNow: 38,
  ending: "incomplete",
  overLimit: 0,
  cause: undefined,
  lastAccepted: undefined,
  error: undefined,
  failures,
  notes: { leftOut: {}, firstLeftOut: [], warnings: [] },
  readLeftOut: async function* none() {},
  commands: { resume: "sms runs resume topup", show: "sms runs show topup" },
};

const now = Date.UTC(2026, 10, 22, 12);

const report: ShownRun = {
  header: headerOf("topup", new Date(now - 125_000).toISOString(), 1000, "live"),
  tally,
  readResults: async function* () {
    yield { message, outcome };
  },
  readLeftOut: async function* none() {},
};

async function shown(columns: number): Promise<string> {
  let text = "";
  for await (const piece of runView(report, undefined, { showsFailed: false, showsLeftOut: false }, now).text(
    terminal(columns),
  ))
    text += piece;
  return text;
}

describe("the end of a run on a terminal", () => {
  it.each([80, 50])("fits %d columns", async (columns) => {
    expect(widest(runSummaryView(summary).text(terminal(columns)))).toBeLessThanOrEqual(columns);
    expect(widest(await shown(columns))).toBeLessThanOrEqual(columns);
  });

  it("aligns what follows the lines of the list", () => {
    const several = new Failures();
    for (const line of [3, 1200]) several.add({ ...message, line }, outcome);
    const places = runSummaryView({ ...summary, failures: several })
      .text(terminal(200))
      .match(/^ {2}line.*\+254/gm);
    expect(places).toEqual(["  line    3  +254", "  line 1200  +254"]);
  });

  it("does not call free what the service gave no price for", () => {
    const unpriced = { ...summary, tally: { ...tally, totalCredits: 0, totalCostKes: 0, unpriced: 38 } };
    expect(runSummaryView(unpriced).text(terminal(80))).toContain(
      "\n  0 credits charged, KES 0.00, not counting 38 messages whose cost was not\n  reported, 962 credits left\n",
    );
  });

  it("names the next steps, with a reason beside them if there is room", async () => {
    expect((await shown(80)).split("\n")).toEqual([
      "! Run topup: 38 of 1,000 accepted, 2 rejected, 1 uncertain, 959 not tried yet",
      "  38 credits charged, KES 30.40, 962 credits left",
      "  started 2 min ago, live, at https://sms.example.com",
      "  first text: Hi",
      "  line 12  +254712345678  uncertain: the connection broke before the answer",
      "    was complete: other side closed",
      "  Next: sms runs resume topup",
      "  Next: sms runs resume topup --retry rejected  (once the cause is fixed)",
      "  Next: sms runs resume topup --retry uncertain",
      "        (once you know that they did not arrive)",
      "",
    ]);
    expect(runSummaryView(summary).text(terminal(80)).split("\n").slice(-4)).toEqual([
      "  Next: sms runs resume topup",
      "  Next: sms runs resume topup --retry rejected  (once the cause is fixed)",
      "  Next: sms runs show topup  (what may or may not have gone out)",
      "",
    ]);
  });

  it("says what comes before the rest is sent, and that a test key pays nothing", () => {
    const destination = { ...summary.destination, mode: "test" } as const;
    const view = runSummaryView({ ...summary, destination, ending: "no-credits" });
    const lines = view.text(terminal(80)).split("\n");
    expect(lines[1]).toBe("  38 credits, KES 30.40, not charged to a test key, 962 credits left");
    expect(lines).toContain("  Next: sms runs resume topup  (once the account is topped up)");
  });

  it("shows the first failures by line, those that may have arrived first", () => {
    const many = new Failures();
    const failure = { kind: "refused", error: "The number is blocked", errorCode: "NO" } as const;
    for (let index = 0; index < 41; index++)
      many.add({ ...message, index, line: index + 20 }, { kind: "rejected", failure });
    many.add(message, outcome);
    const stopped = { ...tally, rejected: 41, uncertain: 1, pending: 0 };
    const text = runSummaryView({ ...summary, tally: stopped, failures: many }).text(terminal(80));
    expect(text.split("\n").slice(2, 9)).toEqual([
      "  line 12  +254712345678  uncertain: the connection broke before the answer",
      "    was complete: other side closed",
      ...[20, 21, 22, 23].map((line) => `  line ${line}  +254712345678  rejected: The number is blocked`),
      "  and 37 more: sms runs show topup --failed",
    ]);
  });
});
