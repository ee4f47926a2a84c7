import { readFileSync, writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, lines, run, runsFolder } = withRuns();

const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };

/** The arguments of a run of 5, whose first 2 are sent alone. */
function five(...more: readonly string[]): readonly string[] {
  const list = file("list.txt", numbers(5).join("\n"));
  return ["send", "-r", list, "-m", "Hi", "--run", "five", "--rate", "60000", "--first", "2", ...more];
}

const resume = ["runs", "resume", "five", "--rate", "60000", "--yes"];

/** Has the run expect another price, as if it had begun before the service raised it. */
function expectAnotherPrice(): void {
  const path = runsFolder("five", "run.json");
  const header = JSON.parse(readFileSync(path, "utf8"));
  writeFileSync(path, JSON.stringify({ ...header, first: { ...header.first, kesPerCredit: 0.4 } }), { mode: 0o600 });
}

const first = {
  messages: 2,
  accepted: 2,
  estimate: { segments: 2, totalCredits: 2 },
  charged: { segments: 2, totalCredits: 2, totalCostKes: 1.6 },
  asEstimated: true,
};

it("sends the first, compares their charge, and stops; resume goes on", async () => {
  const { code, summary } = await lines(five("--yes"), live);
  expect({ code, summary }).toMatchObject({
    code: 12,
    summary: { accepted: 2, pending: 3, exitCode: 12, errorCode: "FIRST_SENT", first },
  });
  expect(summary.stopped).toContain("`sms runs resume five` sends the other 3");
  expect(accepted().map(([to]) => to)).toEqual(numbers(2));
  const again = await lines(five("--yes"), live);
  expect(again).toMatchObject({ code: 12, recipients: [], summary: { accepted: 2 } });
  expect(await lines(resume, live)).toMatchObject({ code: 0, summary: { accepted: 5, first } });
  expect(accepted()).toHaveLength(5);
});

it("says both in words", async () => {
  const { code, stderr } = await run(five("--yes"), live);
  expect(code).toBe(12);
  expect(stderr).toContain("Guard     --first: 2 messages, then their charge is compared with the estimate");
  expect(stderr).toContain("First 2: 2 sent, 2 credits as estimated\n");
  expect(stderr).toContain("Stopping: the first 2 were sent (--first): `sms runs resume five`");
  const { stderr: later } = await run(resume, live);
  expect(later).toContain("First 2: 2 sent, 2 credits as estimated");
});

it("does not go on after a difference, --yes or not, until --accept-price is given", async () => {
  await run(five("--yes"), live);
  expectAnotherPrice();
  const { code, stdout, stderr } = await run(resume, live);
  expect(code).toBe(12);
  expect(stderr).toContain(
    "2 sent, charged 2 credits, 2 segments, KES 1.60 instead of 2 credits, 2 segments, KES 0.80",
  );
  expect(stdout).toContain("Next: sms runs resume five --accept-price");
  expect(await lines(resume, live)).toMatchObject({ code: 12, summary: { errorCode: "FIRST_DIFFERS", accepted: 2 } });
  expect(await lines([...resume, "--accept-price"], live)).toMatchObject({ code: 0, summary: { accepted: 5 } });
});

it("does not begin when the whole run would pass --max-credits", async () => {
  expect(await lines(five("--max-credits", "4"), live)).toMatchObject({ code: 12, summary: undefined });
});

it("compares KES with the price that was known when the run began", async () => {
  expect((await run(["send", "--to", "+254712345099", "-m", "Hi"])).code).toBe(0);
  const { summary } = await lines(five());
  expect(summary.first).toMatchObject({ estimate: { totalCostKes: 1.6 }, asEstimated: true });
});

it("accepts no price in advance: a stop before the charge is compared names a resume that compares it", async () => {
  const clock = () => Date.parse(accepted().length === 0 ? "2026-11-23T16:59:59Z" : "2026-11-23T17:00:00Z");
  const { code, stdout } = await run(five("--yes", "--between", "08:00-20:00", "--concurrency", "1"), {
    ...live,
    clock,
  });
  expect([code, stdout]).toEqual([12, expect.stringMatching(/^ {2}Next: sms runs resume five$/m)]);
});

it("names a resume that holds back what this one does, and does not stop in silence with --quiet", async () => {
  await run(five("--yes"), live);
  expectAnotherPrice();
  const hours = ["--between", "00:00-24:00 UTC"];
  const exclude = ["--exclude", file("vip.txt", numbers(1, 4).join("\n"))];
  const { code, stderr } = await run([...resume, ...exclude, ...hours, "--quiet"], live);
  const next = `sms runs resume five --exclude '${exclude[1]}' --between '00:00-24:00 UTC' --accept-price`;
  expect([code, stderr]).toEqual([12, `Stopping: the first 2 were sent (--first): \`${next}\` sends the other 2\n`]);
  expect((await run([...resume, ...exclude, ...hours], live)).stdout).toContain(`Next: ${next}\n`);
});

it("is refused for a single message", async () => {
  const { code, stderr } = await run(["send", "--first", "2", "--to", "+254712345000", "-m", "Hi"]);
  expect([code, stderr]).toEqual([2, expect.stringContaining("--first is for runs")]);
});

it("keeps to the first that its run began with", async () => {
  await run(five());
  const other = five().map((word) => (word === "2" ? "3" : word));
  const { code, stderr } = await run(other);
  expect(code).toBe(2);
  expect(stderr).toContain("the run began with --first 2");
  const plain = ["send", "-r", file("list.txt", numbers(2).join("\n")), "-m", "Hi", "--run", "plain"];
  await run(plain);
  expect((await run([...plain, "--first", "1"])).stderr).toContain("the run began without --first");
  const accept = await run(["runs", "resume", "plain", "--accept-price"]);
  expect(accept).toMatchObject({ code: 2 });
  expect(accept.stderr).toContain("--accept-price needs a run that began with --first");
});
