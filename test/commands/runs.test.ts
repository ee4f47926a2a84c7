import { readFileSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { beforeEach, describe, expect, it } from "vitest";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, json, run, runsFolder, send } = withRuns();

describe("sms runs", () => {
  beforeEach(async () => {
    const path = file("list.txt", ["+254712345000", "+254700000400", "+254700000598", "+254712345001"].join("\n"));
    await send(["-r", path, "-m", "=Hi", "--run", "mixed"]);
  });

  it("shows who was not accepted, and what to type next", async () => {
    const { code, stdout } = await run(["runs", "show", "mixed", "--failed"]);
    expect(code).toBe(0);
    expect(stdout).toContain("! Run mixed: 2 of 4 accepted, 1 rejected, 1 uncertain\n");
    expect(stdout).toContain("  line 2  +254700000400  rejected: Invalid parameters\n");
    expect(stdout).toContain("  line 3  +254700000598  uncertain: ");
    expect(stdout.split("\n").slice(-3)).toEqual([
      "  Next: sms runs resume mixed --retry rejected  (once the cause is fixed)",
      "  Next: sms runs resume mixed --retry uncertain  (once you know that they were not taken)",
      "",
    ]);
  });

  it("says of a run that is closed who was not accepted, and how", async () => {
    const { stdout } = await run(["runs", "close", "mixed"]);
    expect(stdout).toMatch(/^Closed run mixed: 2 of 4 accepted, 1 rejected, 1 uncertain; nothing more is sent/);
  });

  it("names the profile of --profile in what to type next, since it has the key and the guards", async () => {
    const login = ["login", "--no-verify", "--with-key", "--base-url", "http://127.0.0.1:9", "--profile", "ops"];
    expect((await run(login, { stdin: "sk_test_sandbox" })).code).toBe(0);
    await send(["--to", "+254700000598", "-m", "Hi", "--run", "own", "--profile", "ops"]);
    const next = "sms runs resume own --profile ops --retry uncertain";
    expect((await run(["runs", "show", "own"])).stdout).toContain(`  Next: ${next}  (`);
    expect((await run(next.split(" ").slice(1))).code).toBe(11);
  });

  it("lists the latest with --limit, and says how to see the others", async () => {
    await send(["--to", "+254712345000", "-m", "Hi", "--run", "later"]);
    const now = Date.now() + 150_000;
    const { stdout, stderr } = await run(["runs", "list", "--limit", "1"], { now });
    expect(stdout).toBe("  RUN    MODE  STARTED    ACCEPTED  NOT ACCEPTED\n  later  test  2 min ago  1 of 1\n");
    expect((await run(["runs", "list"], { now })).stdout).toContain("2 of 4    1 rejected, 1 uncertain\n");
    const started = expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/);
    expect((await json(["runs", "list"])).value).toMatchObject([{ run: "later", started }, { run: "mixed" }]);
    expect(stderr).toBe("1 earlier run: `sms runs list --limit 2`\n");
    expect((await run(["runs", "list", "--quiet"])).stdout).toBe("later\nmixed\n");
    const { code } = await run(["runs", "list", "--limit", "0"]);
    expect(code).toBe(2);
  });

  it("resumes only what may be sent again", async () => {
    const before = accepted().length;
    expect((await run(["runs", "resume", "mixed"])).code).toBe(11);
    expect(accepted()).toHaveLength(before);
    expect((await run(["runs", "resume", "mixed", "--retry", "uncertain"])).code).toBe(11);
    expect(accepted()).toHaveLength(before + 1);
  });
});

describe("a record that is damaged:", () => {
  let again: readonly string[];

  beforeEach(async () => {
    const path = file("list.txt", numbers(3).join("\n"));
    again = ["-r", path, "-m", "Hi", "--run", "topup"];
    await send(again);
  });

  describe("a run", () => {
    it("that was killed right after it began is sent", async () => {
      const begun = readFileSync(runsFolder("topup", "journal.ndjson"), "utf8").split("\n")[0];
      writeFileSync(runsFolder("topup", "journal.ndjson"), `${begun}\n`);
      expect((await send(again)).code).toBe(0);
      expect(accepted()).toHaveLength(6);
    });

    it("that was killed right before it began is begun anew", async () => {
      const begun = readFileSync(runsFolder("topup", "journal.ndjson"), "utf8").split("\n")[0];
      for (const journal of [`${begun}\n`, "", "\0\0\0"]) {
        writeFileSync(runsFolder("topup", "journal.ndjson"), journal);
        rmSync(runsFolder("topup", "run.json"), { force: true });
        expect((await send([...again, "--dry-run"])).code).toBe(0);
      }
    });
  });

  describe("the folder", () => {
    const commands = ["send", "runs show topup"];

    it.each(commands)("of all runs is named if it is a file: %s", async (command) => {
      renameSync(runsFolder(), `${runsFolder()}-away`);
      writeFileSync(runsFolder(), "");
      const args = [...command.split(" "), ...(command === "send" ? again : [])];
      expect(await json(args)).toMatchObject({ code: 2, value: { error: expect.stringContaining(runsFolder()) } });
    });

    it("of one run is named if it is a file", async () => {
      writeFileSync(runsFolder("note"), "");
      const error = expect.stringContaining(`${runsFolder("note")} is not a folder`);
      expect(await json(["runs", "show", "note"])).toMatchObject({ code: 2, value: { error } });
    });
  });
});
