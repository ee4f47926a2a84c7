import { existsSync, readdirSync, utimesSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, lines, run, runsFolder, send } = withRuns();

const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };

/** The arguments of a run of 7 recipients, for which the sandbox has 5 credits. */
function seven(): readonly string[] {
  return ["-r", file("list.txt", numbers(7).join("\n")), "-m", "Hi", "--yes", "--concurrency", "1"];
}

/** The only run that is recorded. */
function onlyRun(): string {
  const names = readdirSync(runsFolder());
  expect(names).toHaveLength(1);
  return names[0] ?? "";
}

describe("the same list again, without --run", () => {
  it("does not begin while a run of it is unfinished, and names both ways on", async () => {
    expect((await send(seven(), live)).code).toBe(5);
    const name = onlyRun();
    const { code, stderr } = await send([...seven(), "--json"], live);
    expect({ code, failure: JSON.parse(stderr) }).toMatchObject({
      code: 2,
      failure: {
        errorCode: "RUN_UNFINISHED",
        outcome: "unsent",
        error: `run ${name} of the same messages is unfinished, 5 of 7 accepted, just now`,
        hint: `continue it with \`sms runs resume ${name}\`, or send to everybody again with --run NEWNAME`,
      },
    });
    expect(accepted()).toHaveLength(5);
    expect(onlyRun()).toBe(name);
  });

  it("begins under a name, with another text, with another key, and in a sandbox", async () => {
    expect((await send(seven(), live)).code).toBe(5);
    expect((await send([...seven(), "--run", "again"], live)).code).toBe(5);
    expect(
      (
        await send(
          [...seven(), "-m", "Ho"].filter((word) => word !== "-m" && word !== "Hi"),
          live,
        )
      ).code,
    ).toBe(2);
    expect(
      (
        await send(
          seven().map((word) => (word === "Hi" ? "Ho" : word)),
          live,
        )
      ).code,
    ).toBe(5);
    expect((await send(seven())).code).toBe(0);
    for (const _ of [1, 2]) expect((await send(["--sandbox", ...seven()])).code).toBe(0);
  });

  it("begins once that run is finished or removed, and is warned of for a day", async () => {
    const args = ["--to", "+254712345000", "--to", "+254712345001", "-m", "Hi", "--json"];
    const first = await lines(["send", ...args]);
    expect(first.summary.warnings).toBeUndefined();
    const sentence = `run ${first.summary.run} of the same messages has ended, 2 of 2 accepted, just now`;
    expect((await send([...args, "-n"])).stdout).toContain(sentence);
    const second = await lines(["send", ...args]);
    expect(second).toMatchObject({ code: 0, summary: { warnings: [sentence] } });
    const old = new Date(Date.now() - 25 * 3_600_000);
    for (const name of readdirSync(runsFolder())) utimesSync(runsFolder(name, "journal.ndjson"), old, old);
    expect((await lines(["send", ...args])).summary.warnings).toBeUndefined();
  });

  it("is planned by --dry-run, with a warning of the unfinished run", async () => {
    expect((await send(seven(), live)).code).toBe(5);
    const { code, stdout } = await send([...seven(), "-n"], live);
    expect({ code, isWarned: stdout.includes("is unfinished, 5 of 7 accepted") }).toEqual({ code: 0, isWarned: true });
    expect(existsSync(runsFolder(onlyRun()))).toBe(true);
  });
});

describe("sms runs resume --exclude", () => {
  it("leaves numbers out this time, says so, and keeps them out of the next step", async () => {
    const args = ["-r", file("list.txt", numbers(7).join("\n")), "-m", "Hi", "--yes", "--concurrency", "1"];
    expect((await send([...args, "--run", "part"], live)).code).toBe(5);
    const optOuts = file("opt-outs.txt", "0712345006\n");
    const resume = ["runs", "resume", "part", "--exclude", optOuts, "--rate", "60000"];
    const machine = { environment: { SMS_COUNTRY: "KE", ...live.environment } };
    const { stderr } = await run(resume, machine);
    expect(stderr).toContain("  Left to send  1 of 7\n");
    expect(stderr).toContain("  Left out      1 excluded\n");
    const { code, summary } = await lines([...resume, "--yes"], machine);
    expect({ code, summary }).toMatchObject({
      code: 5,
      summary: { pending: 1, rejected: 1, leftOut: { excluded: 1 } },
    });
    expect(accepted()).toHaveLength(5);
  });

  it("refuses a file that cannot be read, and standard input", async () => {
    await send(["--to", "+254712345000", "-m", "Hi", "--run", "one"]);
    expect((await run(["runs", "resume", "one", "--exclude", "-"])).stderr).toContain("--exclude does not read");
    expect((await run(["runs", "resume", "one", "--exclude", "/nowhere"])).code).toBe(2);
    expect((await run(["runs", "resume", "one", "--exclude", file("bad.txt", "nobody\n")])).code).toBe(2);
  });
});
