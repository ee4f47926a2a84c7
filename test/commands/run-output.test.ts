import { describe, expect, it } from "vitest";
import { live, numbers, objectsIn, withRuns } from "./with-runs.ts";

const { file, run, send } = withRuns();

const two = ["--to", "+254712345000", "--to", "+254712345001", "-m", "Deploy finished"];
const secret = /sk_test_sandbox|Deploy finished/;

describe("the output of a run", () => {
  it("has colours on a terminal, and none with --no-color", async () => {
    const machine = { hasColor: true };
    const colored = await send([...two, "--run", "one"], machine);
    expect(colored.stderr).not.toContain("POST");
    expect(colored.stdout).toContain("\u001b[32m✓\u001b[39m Run one: 2 of 2 accepted\n");
    for (const args of [
      ["send", ...two],
      ["runs", "resume", "one"],
      ["runs", "show", "one"],
    ]) {
      const { code, stdout, stderr } = await run([...args, "--no-color"], machine);
      expect({ code, hasColor: (stdout + stderr).includes("\u001b") }).toEqual({ code: 0, hasColor: false });
    }
  });

  it("with --verbose shows each exchange by its number, without key and text", async () => {
    const { code, stdout, stderr } = await send([...two, "--verbose", "--json"]);
    expect(code).toBe(0);
    for (const number of [1, 2]) {
      expect(stderr).toMatch(new RegExp(`^${number} > POST http://127\\.0\\.0\\.1:\\d+/api/v1/sms/send$`, "m"));
      expect(stderr).toContain(`${number} > authorization: Bearer [redacted]\n`);
      expect(stderr).toContain(`${number} < HTTP 200\n`);
    }
    expect(stderr).toContain('"message":"[15 characters]"');
    expect(stderr).not.toMatch(secret);
    expect(objectsIn(stdout).map(({ type }) => type)).toEqual(["recipient", "recipient", "summary"]);
  });

  it("with --verbose shows the exchanges of a resumed run", async () => {
    const args = ["--to", "+254700000400", "--to", "+254712345000", "-m", "Deploy finished", "--run", "again"];
    expect((await send(args)).code).toBe(11);
    const { stderr } = await run(["runs", "resume", "again", "--retry", "rejected", "--verbose", "--json"]);
    expect(stderr).toContain("1 < HTTP 400\n");
    expect(stderr).not.toMatch(secret);
  });

  it("is the name of the run alone with --quiet, and on stderr what is left and how it goes on", async () => {
    expect(await send([...two, "--run", "two", "--quiet"])).toEqual({ code: 0, stdout: "two\n", stderr: "" });
    const rejected = await send([...two, "--to", "+254700000400", "--run", "three", "--quiet"]);
    expect(rejected).toEqual({
      code: 11,
      stdout: "three\n",
      stderr: "1 of 3 not accepted: `sms runs show three --failed` lists it\n",
    });
    const list = file("list.txt", numbers(7).join("\n"));
    const cut = await send(["-r", list, "-m", "Hi", "--run", "cut", "--yes", "--quiet", "--rate", "1200"], live);
    expect(cut).toEqual({
      code: 5,
      stdout: "cut\n",
      stderr: "Stopping: Insufficient SMS credits\n2 of 7 left: `sms runs resume cut` sends them\n",
    });
  });
});
