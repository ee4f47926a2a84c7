import { describe, expect, it } from "vitest";
import { acquireLock } from "../../src/files/lock.ts";
import { processes } from "../files/this-process.ts";
import { fast, live, numbers, withRuns } from "./with-runs.ts";

const { accepted, file, group, json, lines, path, run, send } = withRuns();

const planOf = async (...args: readonly string[]) => (await lines(["send", "-n", "-m", "Hi", ...args])).summary;

describe("--to @NAME", () => {
  it("is a run of the list of that name, of any format, with its own texts and fields", async () => {
    const [one, two, three] = numbers(3);
    group("oncall.txt", `${one}\n${two}\n`);
    group("staff.csv", `name,phone\nAnn,${three}\n`);
    group("shift.ndjson", `{"to":"${one}","message":"Own"}\n`);
    expect((await send(["--to", "@oncall", "-m", "Hi", "--run", "a"])).code).toBe(0);
    expect((await send(["--to", "@staff", "-m", "Hi {{name}}"])).code).toBe(0);
    expect((await send(["--to", "@shift"], { isTerminal: true })).code).toBe(0);
    expect(accepted()).toEqual([
      [one, "Hi"],
      [one, "Own"],
      [two, "Hi"],
      [three, "Hi Ann"],
    ]);
    expect(await planOf("--to", "@oncall")).toMatchObject({
      recipients: 2,
      source: path("config", "groups", "oncall.txt"),
      first: { line: 1, to: one },
    });
  });

  it("knows a list in any case and composition", async () => {
    const [one] = numbers(1);
    group("Su\u0308d.TXT", `${one}\n`);
    expect(await planOf("--to", "@s\u00fcd", "--run", "list")).toMatchObject({ recipients: 1, first: { to: one } });
  });

  it.each<[string, string, readonly string[], string?]>([
    ["me.txt", "NUMBER\n", []],
    ["me.txt", "# mine\nNUMBER\n", ["--once", "key"]],
    ["me.csv", "to\nNUMBER\n", []],
    ["me.csv", "name,phone\nAnn,NUMBER\n", []],
    ["me.csv", "name,phone\nAnn,NUMBER\n", ["-m", "Hi {{name}}"], "run"],
    ["me.ndjson", '{"to":"NUMBER","message":"Own"}\n', [], "run"],
    ["me.txt", "NUMBER\n", ["--run", "me"], "run"],
    ["me.txt", "NUMBER\n", ["--rate", "600"], "run"],
    ["me.txt", "NUMBER\n+254733000000\n", [], "run"],
  ])("is a number if %s has only %j, with %j", async (name, content, args, way = "message") => {
    group(name, content.replace("NUMBER", numbers(1).join("")));
    const words = ["send", "--to", "@me", ...(args.includes("-m") ? [] : ["-m", "Hi"]), ...args, "--json"];
    const { code, stdout } = await run(words);
    expect({ code, isRun: stdout.includes('"type":"summary"') }).toEqual({ code: 0, isRun: way === "run" });
  });

  it("goes with numbers, which come first, and with one list at a time", async () => {
    const [one, two] = numbers(2);
    group("oncall.txt", `${one}\n`);
    expect(await planOf("--to", "@oncall", "--to", String(two))).toMatchObject({ recipients: 2, first: { to: two } });
    const list = file("list.txt", `${two}\n`);
    for (const other of Object.entries({ "--to": "@oncall", "-r": list })) {
      const ended = await send(["--to", "@oncall", ...other, "-m", "Hi"]);
      expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining("a run has one list") });
    }
  });

  it.each([
    ["@oncal", "did you mean @oncall?"],
    ["@nobody", "/groups has @backup, @oncall, @twice"],
    ["@", "/groups has @backup, @oncall, @twice"],
    ["@../groups/oncall", "a file with --recipients"],
    ["@twice", "there are two lists @twice: twice.csv and twice.txt"],
    ["@hidden", "/groups has @backup, @oncall, @twice"],
  ])("says what there is instead of %s", async (to, sentence) => {
    for (const name of ["oncall.txt", "backup.csv", "twice.txt", "twice.csv", "hidden.pdf", ".txt", "a b.txt"]) {
      group(name, "+254712345678\n");
    }
    const ended = await run(["send", "--to", to, "-m", "Hi"]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
  });
});

describe("--exclude run:NAME", () => {
  it("sends a list that has grown to its new rows alone, and to those that the run did not reach", async () => {
    const [one, two, three] = ["+254712345000", "+254700000500", "+254700000400"];
    const list = (...rows: readonly (string | undefined)[]) => file("list.txt", rows.join("\n"));
    const first = await send(["-r", list(one, two, three), "-m", "Hi", "--run", "first"]);
    expect(first.code).toBe(11);
    const grown = list(one, two, three, "+254712345001");
    expect(await planOf("-r", grown, "--exclude", "run:first")).toMatchObject({
      recipients: 2,
      leftOut: { excluded: 2 },
      firstLeftOut: [
        `line 1: ${one} is excluded: accepted or uncertain in run first`,
        `line 2: ${two} is excluded: accepted or uncertain in run first`,
      ],
      guards: ["without the 2 numbers accepted or uncertain in run first (test: no phone had it)"],
      first: { to: three },
    });
    const others = ["--exclude", "run:first", "--exclude", file("others.txt", `${three}\n`)];
    expect(await planOf("-r", grown, ...others)).toMatchObject({
      recipients: 1,
      leftOut: { excluded: 3 },
      guards: [expect.stringContaining("in run first"), expect.stringContaining("of --exclude (")],
    });
  });

  it("holds on a resume, and the command that goes on has it", async () => {
    const args = ["-m", "Hi", "--yes"];
    expect((await send([...numbers(2).flatMap((to) => ["--to", to]), ...args, "--run", "a"])).code).toBe(0);
    const all = file("list.txt", numbers(7).toReversed().join("\n"));
    expect((await send(["-r", all, ...args, "--run", "b"], live)).code).toBe(5);
    const resumed = await run(["runs", "resume", "b", ...fast, "--yes", "--exclude", "run:a"], live);
    expect(resumed).toMatchObject({ code: 0, stderr: expect.stringContaining("Left out  2 excluded") });
    const rest = await planOf("-r", all, "--exclude", "run:b");
    expect(rest.guards).toEqual([expect.stringMatching(/^without the 5 numbers .* in run b$/)]);
    expect(resumed.stderr + resumed.stdout).not.toContain("HTTP 402");
    expect(accepted()).toHaveLength(7);
  });

  it("refuses a run at work: whom it still reaches would have it twice", async () => {
    expect((await send(["--to", "+254712345678", "-m", "Hi", "--run", "first"])).code).toBe(0);
    const lock = await acquireLock(path("state", "runs", "first", "lock"), processes);
    const ended = await json(["send", "--run", "b", "--to", "+254712345679", "-m", "Hi", "--exclude", "run:first"]);
    if (lock.kind === "lock") lock.release();
    expect(ended).toMatchObject({ code: 2, value: { errorCode: "RUN_BUSY" } });
    expect(accepted()).toHaveLength(1);
  });

  it("leaves nobody out for a rehearsal", async () => {
    const [one, two, other] = numbers(3);
    const list = file("list.txt", `${one}\n${two}\n`);
    expect((await send(["-r", list, "-m", "Hi", "--run", "a", "--redirect-to", String(other)])).code).toBe(0);
    expect(await planOf("-r", list, "--to", String(other), "--exclude", "run:a-rehearsal")).toMatchObject({
      recipients: 3,
      guards: ["without nobody: run a-rehearsal is a rehearsal"],
    });
  });

  it.each([
    ["run:frist", "UNKNOWN_RUN", "did you mean run:first? `sms runs list` shows the runs"],
    ["run:../first", "INVALID_RUN_NAME", expect.any(String)],
  ])("refuses %s", async (exclude, errorCode, hint) => {
    expect((await send(["--to", "+254712345678", "-m", "Hi", "--run", "first"])).code).toBe(0);
    const ended = await json(["send", "--run", "b", "--to", "+254712345678", "-m", "Hi", "--exclude", exclude]);
    expect(ended).toMatchObject({ code: 2, value: { errorCode, hint } });
    expect(accepted()).toHaveLength(1);
  });
});
