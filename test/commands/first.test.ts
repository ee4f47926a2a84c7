import { expect, it } from "vitest";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, lines, run } = withRuns();

const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };

/** The arguments of a run of 5, of which only the first 2 are asked for. */
function five(...more: readonly string[]): readonly string[] {
  const list = file("list.txt", numbers(5).join("\n"));
  return ["send", "-r", list, "-m", "Hi", "--run", "five", "--rate", "60000", "--first", "2", ...more];
}

const resume = ["runs", "resume", "five", "--rate", "60000", "--yes"];

it("sends the first and stops with what the rest will cost, also when it is given again; resume goes on", async () => {
  const stopped = {
    code: 12,
    summary: {
      accepted: 2,
      pending: 3,
      totalCredits: 2,
      exitCode: 12,
      errorCode: "FIRST_SENT",
      stopped: "--first 2: `sms runs resume five` sends the other 3",
      rest: { messages: 3, totalCredits: 3, totalCostKes: 2.4 },
    },
  };
  expect(await lines(five("--yes"), live)).toMatchObject(stopped);
  expect(accepted().map(([to]) => to)).toEqual(numbers(2));
  expect(await lines(five("--yes"), live)).toMatchObject({ ...stopped, recipients: [] });
  const all = await lines(resume, live);
  expect(all).toMatchObject({ code: 0, summary: { accepted: 5 } });
  expect(all.summary.rest).toBeUndefined();
  expect(accepted()).toHaveLength(5);
  expect(await lines(five("--yes"), live)).toMatchObject({ code: 0, recipients: [] });
});

it("says so in the plan and in the summary", async () => {
  const { code, stdout, stderr } = await run(five("--max-credits", "2"), live);
  expect(code).toBe(12);
  expect(stderr).toContain("SANDBOX   2 of 5 messages; no phone receives them\n");
  expect(stderr).toContain("2 segments; a real send would be charged 2 credits");
  expect(stderr).toContain("Guard     --first: 2 messages, then it stops\n");
  expect(stdout).toContain(
    "  2 credits would be charged, KES 1.60, 3 credits left\n  The other 3: 3 credits, KES 2.40 at this price\n",
  );
  expect(stdout).toContain("  Next: sms runs resume five\n");
});

it("sends again what is missing of the first, and no others", async () => {
  const cut = await lines(five("--yes", "--max-credits", "1"), live);
  expect(cut).toMatchObject({ code: 12, summary: undefined });
  const evening = () => Date.parse(accepted().length === 0 ? "2026-11-23T16:59:59Z" : "2026-11-23T17:00:00Z");
  const closed = five("--yes", "--between", "08:00-20:00 Africa/Nairobi");
  const halved = await lines(closed, { ...live, clock: evening });
  expect(halved).toMatchObject({ code: 12, summary: { accepted: 1, errorCode: "OUTSIDE_HOURS" } });
  const noon = () => Date.parse("2026-11-24T09:00:00Z");
  const rest = await lines(five("--yes"), { ...live, clock: noon });
  expect(rest).toMatchObject({ code: 12, summary: { accepted: 2, errorCode: "FIRST_SENT" } });
});

it("names a resume that holds back what this one does, and does not stop in silence with --quiet", async () => {
  const any = ["--between", "any", "--quiet"];
  const { code, stderr } = await run(five("--yes", ...any), live);
  expect([code, stderr]).toEqual([12, "Stopping: --first 2: `sms runs resume five --between any` sends the other 3\n"]);
});

it("is refused for a single message", async () => {
  const { code, stderr } = await run(["send", "--first", "2", "--to", "+254712345000", "-m", "Hi"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--first is for runs")]);
});
