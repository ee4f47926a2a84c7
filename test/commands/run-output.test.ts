import { describe, expect, it } from "vitest";
import { numbers, withRuns } from "./with-runs.ts";

const { file, lines, run, send } = withRuns();

const two = ["--to", "+254712345000", "--to", "+254712345001", "-m", "Deploy finished"];
const secret = /sk_test_sandbox|Deploy finished/;

describe("the output of a run", () => {
  it("has colours on a terminal, and none with --no-color", async () => {
    const machine = { hasColor: true };
    const colored = await send([...two, "--run", "one"], machine);
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
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line).type),
    ).toEqual(["recipient", "recipient", "summary"]);
  });

  it("with --verbose shows the exchanges of a resumed run", async () => {
    const args = ["--to", "+254700000400", "--to", "+254712345000", "-m", "Deploy finished", "--run", "again"];
    expect((await send(args)).code).toBe(11);
    const { stderr } = await run(["runs", "resume", "again", "--retry", "rejected", "--verbose", "--json"]);
    expect(stderr).toContain("1 < HTTP 400\n");
    expect(stderr).not.toMatch(secret);
  });

  it("shows no wire without --verbose", async () => {
    expect((await send(two)).stderr).not.toContain("POST");
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
    const live = { environment: { SMS_API_KEY: "sk_live_sandbox" } };
    const cut = await send(["-r", list, "-m", "Hi", "--run", "cut", "--yes", "--quiet", "--rate", "1200"], live);
    expect(cut).toEqual({
      code: 5,
      stdout: "cut\n",
      stderr: "Stopping: Insufficient SMS credits\n2 of 7 left: `sms runs resume cut` sends them\n",
    });
  });

  it("has separators in the counts for a person, and none in JSON", async () => {
    const list = Array.from({ length: 1234 }, (_, index) => `+2547123${String(index).padStart(5, "0")}`);
    const args = ["send", "-r", file("list.txt", list.join("\n")), "-m", "Hi", "-n"];
    expect((await run(args)).stdout).toContain("  TEST      1,234 messages; no phone receives them\n");
    expect((await lines(args)).summary).toMatchObject({ recipients: 1234, totalCredits: 1234 });
  });
});

describe("the plan of a run", () => {
  it("refuses a default country that there is not", async () => {
    const bad = { environment: { SMS_COUNTRY: "XX" } };
    const { code, stderr } = await send(["--to", "0712345000", "--to", "0712345001", "-m", "Hi"], bad);
    expect({ code, stderr }).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('"XX" is not the code of a country'),
    });
  });
});
