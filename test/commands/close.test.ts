import { statSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { shellWord } from "../../src/words/shell-word.ts";
import { fast, live, numbers, withRuns } from "./with-runs.ts";

const { accepted, file, json, lines, listOf, run, runsFolder, send } = withRuns();

const limited = (credits: number) => ({ environment: { ...live.environment, SMS_DAILY_CREDITS: String(credits) } });

const resume = ["runs", "resume", "march", ...fast];

function five(text: string, name: string): readonly string[] {
  return [...listOf(5), "-m", text, "--run", name];
}

/** Sends the first 2 of the run march, whose text has a mistake. */
const begun = () => send([...five("Hi Anm", "march"), "--yes"], limited(2));

describe("sms runs close", () => {
  it("ends a run: its receipts stay, and nothing more is sent under its name", async () => {
    await begun();
    const { code, stdout } = await run(["runs", "close", "march"], live);
    expect({ code, stdout }).toEqual({
      code: 0,
      stdout:
        "Closed run march: 2 of 5 accepted, 3 not sent; nothing more is sent under its name. `sms send … --run march-2 --exclude run:march` sends to those it did not reach.\n",
    });
    for (const args of [
      ["send", ...fast, ...five("Hi Anm", "march"), "--yes"],
      ["send", ...fast, ...five("Hi Anm", "march"), "--dry-run"],
      ["send", ...fast, ...five("Hi Ann", "march"), "--yes"],
      [...resume, "--yes"],
      [...resume, "--yes", "--retry", "rejected,uncertain"],
    ])
      expect(await json(args, live)).toMatchObject({
        code: 2,
        value: { errorCode: "RUN_CLOSED", hint: "`--run march-2 --exclude run:march` sends to those it did not reach" },
      });
    expect(accepted()).toHaveLength(2);
    // Once more changes nothing.
    const again = await run(["runs", "close", "march", "--json"], live);
    expect(again).toMatchObject({ code: 0, stdout: '{"closed":"march"}\n' });
    const unknown = await json(["runs", "close", "marsh"]);
    expect(unknown).toMatchObject({ code: 2, value: { errorCode: "UNKNOWN_RUN" } });
  });

  it("is said where runs are shown, and nothing offers to resume the run any more", async () => {
    await begun();
    await run(["runs", "close", "march"], live);
    expect((await run(["runs", "list"])).stdout).toMatch(/march .* 2 of 5 .*3 not sent, closed\n/);
    const counts = { recipients: 5, accepted: 2, rejected: 0, unsent: 3, uncertain: 0, pending: 0 };
    const started = expect.stringMatching(/Z$/);
    const march = { run: "march", mode: "sandbox", started, ...counts, closed: true };
    expect((await json(["runs", "list"])).value).toEqual([march]);
    const { stdout } = await run(["runs", "show", "march"]);
    expect(stdout).toContain("  Closed: nothing more is sent under this name.\n");
    expect(stdout).not.toContain("resume");
    expect((await run(["runs", "export", "march", "--failed"])).stderr).toBe("");
    expect((await lines(["runs", "show", "march"])).summary).toMatchObject({ closed: true, accepted: 2, unsent: 3 });
  });

  it("names a way on that leaves out all whom earlier runs reached, too", async () => {
    await begun();
    const second = [...five("Hi Ann", "march-2"), "--exclude", "run:march", "--yes"];
    await send(second, limited(3));
    expect(accepted().map(([to]) => to)).toEqual(numbers(3));

    const other = [...five("Hi Anna", "march-2"), "--exclude", "run:march", "--yes"];
    const changed = await json(["send", ...fast, ...other], live);
    const { stdout } = await run(["runs", "close", "march-2"], live);

    expect(changed.value.hint).toContain("--exclude run:march ");
    expect(changed.value.hint).toContain("--run march-2-2 --exclude run:march-2`");
    expect(stdout).toContain("`sms send … --run march-2-2 --exclude run:march --exclude run:march-2`");
  });
});

describe("sms runs resume --exclude", () => {
  it("leaves numbers out for good, and says so", async () => {
    await begun();
    const lists = ["opt-outs.txt", "more.txt"].map((name) => file(name, "0712345004\n"));
    const excluded = lists.flatMap((path) => ["--exclude", path]);
    const more = { environment: { ...limited(3).environment, SMS_COUNTRY: "KE" } };
    const { code, stdout, stderr } = await run([...resume, ...excluded, "--yes"], more);
    expect({ code, stderr }).toEqual({ code: 12, stderr: expect.stringContaining(" 2 of 5 messages left") });
    expect(stderr).toContain("  Left out  1 excluded\n");
    expect(stdout).toContain(excluded.map(shellWord).join(" "));
    const { summary } = await lines([...resume, "--yes"], live);
    expect(summary).toMatchObject({ accepted: 4, pending: 0, leftOut: { excluded: 1 }, exitCode: 0 });
  });

  it("refuses a file that cannot be read, and standard input", async () => {
    await begun();
    expect((await run([...resume, "--exclude", "-"], live)).stderr).toContain("--exclude does not read");
    expect((await run([...resume, "--exclude", "/nowhere"], live)).code).toBe(2);
    expect((await run([...resume, "--exclude", file("bad.txt", "nobody\n")], live)).code).toBe(2);
  });
});

it("a finished run whose name is given again sends nothing, says so, and records nothing", async () => {
  const done = [...five("Hi", "done"), "--yes"];
  expect((await send(done, live)).stdout).not.toContain("Nothing was sent now");
  const { size } = statSync(runsFolder("done", "journal.ndjson"));
  const stdout = expect.stringMatching(/^Nothing was sent now: all/);
  expect(await send(done, live)).toMatchObject({ code: 0, stdout });
  expect(statSync(runsFolder("done", "journal.ndjson")).size).toBe(size);
});
