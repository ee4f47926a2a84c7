import { expect, it } from "vitest";
import { withRuns } from "./with-runs.ts";

const { accepted, file, lines, run, send } = withRuns();
const amina = "+436641234567";
const juma = "+436641234568";
const inAustria = { environment: { SMS_COUNTRY: "AT" } };

it("numbers that a spreadsheet wrote with decimals are read without them, and the plan says how many", async () => {
  const rows = file("rows.csv", "phone,name\n6641234567.0,Amina\n6641234568.00,Juma\n+436641234569,Wanjiru\n");
  const args = ["-r", rows, "-m", "Hi", "--country", "AT"];
  const warning = "2 numbers end in .0, as spreadsheets write them, and are read without it";
  expect((await send([...args, "-n"])).stdout).toContain(`  Warning   ${warning}\n`);
  expect(JSON.parse((await send([...args, "-n", "--json"])).stdout)).toMatchObject({ warnings: [warning] });
  const { summary } = await lines(["send", ...args]);
  expect(summary).toMatchObject({ accepted: 3, warnings: [warning] });
  expect(accepted().map(([to]) => to)).toEqual([amina, juma, "+436641234569"]);
});

it("a list of decimals is of the same people as the list without them", async () => {
  const [first, ndjson] = [file("first.txt", "6641234567.0\n"), file("both.ndjson", `{"to":"6641234567.0"}\n`)];
  const both = ["send", "-r", file("both.txt", `${amina}\n${juma}\n`), "-m", "Hi", "-n", "--json"];
  const recipients = async (...more: readonly string[]) =>
    JSON.parse((await run([...both, ...more], inAustria)).stdout) as Readonly<Record<string, unknown>>;
  expect(await recipients("--exclude", first)).toMatchObject({ recipients: 1, leftOut: { excluded: 1 } });
  expect(await recipients("--exclude", ndjson)).toMatchObject({ recipients: 1, leftOut: { excluded: 1 } });
  const only = await run(["send", "--to", amina, "-m", "Hi", "-n", "--only-to", first], inAustria);
  expect(only.code).toBe(0);
  const imported = await run(["optout", "import", first, "--json"], inAustria);
  expect(JSON.parse(imported.stdout)).toMatchObject({
    added: 1,
    warnings: ["1 number ends in .0, as spreadsheets write them, and is read without it"],
  });
  expect(await recipients()).toMatchObject({ recipients: 1, leftOut: { optedOut: 1 } });
});

it("a number that a person types is refused with decimals, wherever it is typed", async () => {
  const decimal = "6641234567.0";
  const hi = ["send", "-m", "Hi", "--to"];
  const commands = [
    [...hi, decimal],
    [...hi, amina, "--to", decimal],
    [...hi, amina, "--redirect-to", decimal],
    [...hi, amina, "--only-to", decimal],
    ["optout", "add", decimal],
    ["history", "--to", decimal],
  ];
  for (const command of commands) {
    const { code, stderr } = await run(command, inAustria);
    expect(code).toBe(2);
    expect(stderr.replace(/\s+/g, " ")).toContain("it ends in a fraction, .0");
  }
  const variable = { environment: { ...inAustria.environment, SMS_ONLY_TO: `${amina},${decimal}` } };
  expect((await run([...hi, amina], variable)).stderr).toContain("it ends in a fraction, .0");
  expect((await run([...hi, decimal], inAustria)).stderr).toContain(`Next: write ${amina}\n`);
  expect(accepted()).toEqual([]);
});
