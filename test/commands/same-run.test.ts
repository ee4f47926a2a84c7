import {
  existsSync,
  linkSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { shellWord } from "../../src/words/shell-word.ts";
import { describe, expect, it } from "vitest";
import { fast, numbers, withRuns } from "./with-runs.ts";

const { accepted, file, lines, run, runsFolder, send } = withRuns();

const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };

/** The arguments of a run of 7 recipients, for which the sandbox has 5 credits. */
function seven(): readonly string[] {
  return ["-r", file("list.txt", numbers(7).join("\n")), "-m", "Hi", "--yes"];
}

/** The arguments of a run of 2 recipients. */
function two(): readonly string[] {
  return ["-r", file("two.txt", numbers(2).join("\n")), "-m", "Hi"];
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
        hint: `continue it with \`sms runs resume ${name}\`, or send to everybody again with --run NEWNAME --again`,
      },
    });
    expect(accepted()).toHaveLength(5);
    expect(onlyRun()).toBe(name);
  });

  it("begins under a name, with another text, with another key, and in a sandbox", async () => {
    expect((await send(seven(), live)).code).toBe(5);
    expect((await send([...seven(), "--run", "again", "--again"], live)).code).toBe(5);
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

  it("does not begin within 12 hours of a run that ended, whatever else is given, unless --again is", async () => {
    const args = two();
    const first = await lines(["send", ...fast, ...args]);
    expect(first).toMatchObject({ code: 0, summary: { accepted: 2, acceptedNow: 2 } });
    const { run: name } = first.summary;
    const sentence = `run ${name} of the same messages has ended, 2 of 2 accepted, just now`;
    for (const more of [[], ["--yes"], ["--max-credits", "9"], ["--no-input"]]) {
      const { code, stderr } = await send([...args, ...more, "--json"]);
      expect({ more, code, failure: JSON.parse(stderr) }).toMatchObject({
        code: 2,
        failure: {
          errorCode: "RUN_REPEATED",
          outcome: "unsent",
          error: sentence,
          hint: `add --again to send to everybody again; \`sms runs show ${name}\` has what was sent`,
        },
      });
    }
    // Before a plan that does not come true, and once.
    expect((await send(args)).stderr).toMatch(
      new RegExp(`^Error: ${sentence}\n  Nothing was sent.\n  Next: add [^\n]*\n$`),
    );
    expect((await send([...args, "-n"])).stdout).toContain(sentence);
    expect(accepted()).toHaveLength(2);
    const again = await lines(["send", ...fast, ...args, "--again"]);
    expect(again).toMatchObject({ code: 0, summary: { accepted: 2, warnings: [sentence] } });
  });

  it("begins 12 hours after a run that ended, and at once after one that was removed", async () => {
    const args = two();
    const age = (hours: number) => {
      const then = new Date(Date.now() - hours * 3_600_000);
      for (const name of readdirSync(runsFolder())) utimesSync(runsFolder(name, "journal.ndjson"), then, then);
    };
    expect((await send(args)).code).toBe(0);
    age(11.9);
    expect((await send(args)).code).toBe(2);
    age(12.1);
    expect((await lines(["send", ...fast, ...args])).summary.warnings).toBeUndefined();
    for (const name of readdirSync(runsFolder())) await run(["runs", "remove", name, "--yes"]);
    expect((await send(args)).code).toBe(0);
  });

  it("does not begin for a day after a run whose summary was not written, although --again is given", async () => {
    const args = two();
    expect((await send(args)).code).toBe(0);
    const name = onlyRun();
    const journal = runsFolder(name, "journal.ndjson");
    const entries = readFileSync(journal, "utf8");
    expect(entries).toMatch(/\["summary"\]\n$/);
    writeFileSync(journal, entries.replace('["summary"]\n', ""));
    const { code, stderr } = await send([...args, "--again", "--json"]);
    expect({ code, failure: JSON.parse(stderr) }).toMatchObject({
      code: 2,
      failure: {
        errorCode: "RUN_UNFINISHED",
        error: `run ${name} of the same messages was cut off before its summary, 2 of 2 accepted, just now`,
      },
    });
    const resumed = await run(["runs", "resume", name]);
    expect(resumed).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing was sent now: everybody had it/),
    });
    expect((await send([...args, "--json"])).stderr).toContain("RUN_REPEATED");
    expect((await send([...args, "--again"])).code).toBe(0);
    expect(accepted()).toHaveLength(4);
  });

  it("does not begin beside a run of it whose header sms refuses or cannot read, though another list does", async () => {
    const args = two();
    expect((await send(args)).code).toBe(0);
    const header = runsFolder(onlyRun(), "run.json");
    // As a backup of hard links does.
    linkSync(header, `${header}.link`);
    expect(await send([...args, "--json"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("INSECURE_STATE"),
    });
    rmSync(`${header}.link`);
    for (const damage of [() => truncateSync(header, 9), () => rmSync(header)]) {
      damage();
      expect(await send([...args, "--json"])).toMatchObject({
        code: 2,
        stderr: expect.stringContaining("RUN_DAMAGED"),
      });
    }
    expect(accepted()).toHaveLength(2);
    expect((await send(args.map((word) => (word === "Hi" ? "Ho" : word)))).code).toBe(0);
  });

  it("is asked for under a name of its own, too, within 12 hours of a run that reached somebody", async () => {
    const day = (name: string, ...more: readonly string[]) => [...seven(), "--run", name, "--json", ...more];
    expect((await send(day("reminders-day1"), live)).code).toBe(5);
    const refused = await send(day("reminders-day2"), live);
    expect({ code: refused.code, failure: JSON.parse(refused.stderr) }).toMatchObject({
      code: 2,
      failure: {
        errorCode: "RUN_REPEATED",
        error: "run reminders-day1 of the same messages is unfinished, 5 of 7 accepted, just now",
        hint: "continue it with `sms runs resume reminders-day1`, or add --again to send to everybody again",
      },
    });
    await run(["runs", "close", "reminders-day1"]);
    expect(JSON.parse((await send(day("reminders-day2"), live)).stderr)).toMatchObject({
      error: "run reminders-day1 of the same messages was closed, 5 of 7 accepted, just now",
      hint: "add --again to send to everybody again, and --exclude run:reminders-day1 to leave out those it reached",
    });
    expect(accepted()).toHaveLength(5);
    const others = await lines([
      "send",
      ...fast,
      ...day("reminders-day2", "--again", "--exclude", "run:reminders-day1"),
    ]);
    expect(others).toMatchObject({ code: 0, summary: { accepted: 2, recipients: 2 } });
  });

  it("counts a run from the future as one of the last 12 hours, and --again sends", async () => {
    const ahead = { clock: () => Date.now() + 5 * 60_000 };
    expect((await send(two(), ahead)).code).toBe(0);
    const name = onlyRun();
    const then = new Date(Date.now() + 5 * 60_000 + 1000);
    utimesSync(runsFolder(name, "journal.ndjson"), then, then);
    expect(JSON.parse((await send([...two(), "--json"])).stderr)).toMatchObject({
      errorCode: "RUN_REPEATED",
      error: `run ${name} of the same messages has ended, 2 of 2 accepted, by a clock that is 5 min ahead`,
    });
    expect((await send([...two(), "--again"])).code).toBe(0);
    expect(accepted()).toHaveLength(4);
  });

  it("refuses --again where no list is looked for", async () => {
    const list = ["send", ...two(), "--again"];
    const cases: readonly (readonly [words: readonly string[], error: string])[] = [
      [["send", "--to", "+254712345000", "-m", "Hi", "--again"], "--again is for runs"],
      [["send", "--to", "+254712345000", "--to", "@staff", "-m", "Hi", "--again"], "--again needs --recipients"],
      [[...list, "--sandbox"], "--again and --sandbox are both given"],
      [[...list, "--redirect-to", "+254712345009"], "--again and --redirect-to are both given"],
    ];
    for (const [words, error] of cases) {
      const { code, stderr } = await run(words);
      expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining(error) });
    }
    expect(accepted()).toHaveLength(0);
  });

  it("says of a finished run that its name is given again: nothing was sent now", async () => {
    const args = [...two(), "--run", "topup"];
    expect((await send(args)).stdout).not.toContain("Nothing was sent now");
    const size = statSync(runsFolder("topup", "journal.ndjson")).size;
    const { code, stdout } = await send(args);
    expect({ code, stdout }).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^Nothing was sent now: everybody/),
    });
    expect(await lines(["send", ...fast, ...args])).toMatchObject({
      code: 0,
      summary: { accepted: 2, acceptedNow: 0 },
    });
    expect(statSync(runsFolder("topup", "journal.ndjson")).size).toBe(size);
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
    const args = ["-r", file("list.txt", numbers(7).join("\n")), "-m", "Hi", "--yes", "--rate", "1200"];
    expect((await send([...args, "--run", "part"], live)).code).toBe(5);
    const optOuts = ["opt-outs.txt", "more.txt"].map((name) => file(name, "0712345006\n"));
    const excluded = optOuts.flatMap((path) => ["--exclude", path]);
    const resume = ["runs", "resume", "part", ...excluded, "--rate", "1200"];
    const machine = { environment: { SMS_COUNTRY: "KE", ...live.environment } };
    const { stderr } = await run(resume, machine);
    expect(stderr).toContain(" 1 of 7 messages left");
    expect(stderr).toContain("  Left out  1 excluded\n");
    expect((await run([...resume, "--yes"], machine)).stdout).toContain(excluded.map(shellWord).join(" "));
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
