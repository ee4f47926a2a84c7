import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { fast, live, withRuns } from "./with-runs.ts";

const { accepted, file, json, lines, listOf, run, runsFolder, send } = withRuns();

describe("the plan of a run", () => {
  it("is refused whole for one bad row, with all faults by their lines", async () => {
    const path = file("list.txt", "+254712345000\n12\nnobody\n");
    const { code, stderr } = await send(["-r", path, "-m", "Hi"]);
    expect(code).toBe(2);
    expect(stderr).toContain('  line 2: "12" cannot be read');
    expect(stderr).toContain('  line 3: "nobody" cannot be read');
    expect(accepted()).toEqual([]);
    expect(existsSync(runsFolder())).toBe(false);
    expect((await send(["-r", path, "-m", "Hi", "--skip-invalid"])).code).toBe(0);
    expect(accepted()).toHaveLength(1);
  });

  it("with --dry-run is planned and not recorded", async () => {
    const { code, stdout } = await send([...listOf(3), "-m", "Hi", "-n"]);
    expect(code).toBe(0);
    expect(stdout).toContain("Dry run: nothing was sent.\n");
    expect(stdout).toContain("  TEST      3 messages; no phone receives them\n");
    expect(existsSync(runsFolder())).toBe(false);
    expect(accepted()).toEqual([]);
  });

  it("with --dry-run shows what is left of a run, and refuses what the run would refuse", async () => {
    const args = [...listOf(7), "-m", "Hi", "--run", "dry"];
    expect((await send([...args, "--yes"], live)).code).toBe(5);
    const before = accepted().length;
    expect((await send([...args, "-n"], live)).stdout).toContain("  SANDBOX   2 of 7 messages left; ");
    const other = args.map((word) => (word === "Hi" ? "Hello" : word));
    const error = "the run dry began with another text: 7 differ, first line 1";
    const hint = expect.stringMatching(/ --run dry-2 --exclude run:dry` sends this text to those it did not reach$/);
    expect(await json(["send", ...other, "-n"], live)).toMatchObject({ code: 2, value: { error, hint } });
    expect(accepted()).toHaveLength(before);
  });

  it("says by how much the last known balance is lower than the estimate, and which message is the longest", async () => {
    const people = ["Ann", "Bo", "Cy", "x".repeat(170)].map((name, index) => `+25471234500${index},${name}`);
    const list = file("list.csv", `to,name\n${people.join("\n")}\n`);
    const plan = async (machine = {}) =>
      (await lines(["send", "-r", list, "-m", "Hi {{name}}", "-n"], machine)).summary;
    expect(await plan(live)).toMatchObject({ balance: null, segments: 5 });
    expect((await run(["send", "--to", "+254712345009", "-m", "Hi"], live)).code).toBe(0);
    const balance = { credits: 4, at: expect.stringMatching(/^\d{4}-.*Z$/), missing: 1 };
    expect(await plan(live)).toMatchObject({ balance });
    expect(await plan()).toMatchObject({ mode: "test", balance: null });
    const begun = await send(["-r", list, "-m", "Hi {{name}}", "--run", "a", "--yes"], live);
    expect(begun.code).toBe(5);
    expect(begun.stderr).toContain("1 credit too few: the balance was 4 today");
    expect(begun.stderr).toContain("  Longest   line 5, +254712345003, 2 segments\n");
    const resumed = await run(["runs", "resume", "a", "--yes"], live);
    expect(resumed.stderr).toMatch(/1 credit too few: the balance was 1 today/);
  });

  it("says how many messages fit what is left of the day, of a sandbox's live key as of any other", async () => {
    const limited = { environment: { SMS_API_KEY: "sk_live_sandbox", SMS_DAILY_CREDITS: "4" } };
    const people = ["Ann", "x".repeat(170), "Bo", "Cy"].map((name, index) => `+25471234500${index},${name}`);
    const list = file("list.csv", `to,name\n${people.join("\n")}\n`);
    const words = ["send", "-r", list, "-m", "Hi {{name}}"];
    expect((await run([...words, "-n"], limited)).stdout).toContain("  3 of 4 fit today\n");
    expect((await lines([...words, "-n"], limited)).summary.fitToday).toBe(3);
    expect((await lines([...words, "-n"])).summary.fitToday).toBeNull();
    const begun = await run([...words, ...fast, "--run", "a", "--yes"], limited);
    expect(begun).toMatchObject({ code: 12, stderr: expect.stringContaining("3 of 4 fit today") });
    expect(accepted()).toHaveLength(3);
    const more = { environment: { ...limited.environment, SMS_DAILY_CREDITS: "5" } };
    expect((await run(["runs", "resume", "a", "--yes"], more)).stderr).not.toContain("fit today");
    expect((await run(["send", "--to", "+254712345009", "-m", "Hi"], more)).code).toBe(12);
  });

  it("warns of a field that no row fills, and says what --gsm7 replaced", async () => {
    const path = file("list.csv", "to,name,due\n+254712345000,Shop’s,\n+254712345001,,\n");
    const message = "Hi {{name|you}}, {{due|you}} – it’s due";
    const { summary } = await lines(["send", ...fast, "-r", path, "-m", message, "--gsm7"]);
    expect(summary.warnings).toEqual([
      "in 2 texts replaced for GSM-7: ’ by ', – by -",
      "no row fills {{due}}, so every text has its default",
    ]);
    expect((await send(["-r", path, "-m", message, "-n"])).stdout).toContain("  Warning   no row fills {{due}}");
  });

  it.each([
    [["--to", "+254712345000", "--run", "../x", "-m", "Hi"], '"../x" is not a name for a run'],
    [["-r", "-", "-m", "-"], "both the recipients and the text are to come from standard input"],
  ])("refuses %j", async (args, sentence) => {
    expect(await run(["send", ...args])).toMatchObject({ code: 2, stderr: expect.stringContaining(sentence) });
    expect(accepted()).toEqual([]);
  });
});

it.each<[string, readonly string[], readonly string[]]>([
  ["two", ["+442071838750", "+254712345001", "+254202345678"], ["2 landlines may not take texts: lines 1 and 3"]],
  ["none, since mobile numbers are in the same ranges", ["+12125550100", "+12125550101"], []],
])("landlines of a list are counted in the plan and named by line: %s", async (_, numbers, warnings) => {
  const list = file("list.txt", numbers.join("\n"));
  const { code, summary } = await lines(["send", "-r", list, "-m", "Hi", "-n"]);
  expect({ code, warnings: summary.warnings }).toEqual({ code: 0, warnings });
});

it("numbers that a spreadsheet wrote with decimals are read without them, and the plan says how many", async () => {
  const rows = file("rows.csv", "phone,name\n6641234567.0,Amina\n6641234568.00,Juma\n+436641234569,Wanjiru\n");
  const args = ["-r", rows, "-m", "Hi", "--country", "AT"];
  const warning = "2 numbers end in .0, as spreadsheets write them, and are read without it";
  expect((await send([...args, "-n"])).stdout).toContain(`  Warning   ${warning}\n`);
  expect(JSON.parse((await send([...args, "-n", "--json"])).stdout)).toMatchObject({ warnings: [warning] });
  const { summary } = await lines(["send", ...args]);
  expect(summary).toMatchObject({ accepted: 3, warnings: [warning] });
  expect(accepted().map(([to]) => to)).toEqual(["+436641234567", "+436641234568", "+436641234569"]);
  const imported = await json(["optout", "import", rows, "--country", "AT"]);
  expect(imported.value).toMatchObject({ added: 3, warnings: expect.arrayContaining([warning]) });
});
