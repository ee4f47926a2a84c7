import { describe, expect, it } from "vitest";
import { numbers, withRuns } from "./with-runs.ts";

const { accepted, file, lines, run, send } = withRuns();

const staff = "+254700000000";

function rows(count = 5): readonly string[] {
  const all = numbers(count).map((to, index) => `${to},Name${index}`);
  return ["-r", file("list.csv", ["to,name", ...all].join("\n")), "-m", "Hi {{name}}"];
}

const redirect = ["--redirect-to", staff];

describe("--redirect-to", () => {
  it("sends the first few to one number, and does not begin the run", async () => {
    const { code, recipients, summary } = await lines(["send", ...rows(), ...redirect, "--run", "topup"]);
    expect({ code, summary }).toMatchObject({
      code: 0,
      summary: { run: "topup-rehearsal", recipients: 3, accepted: 3 },
    });
    expect(recipients.map(({ line, to }: { line: number; to: string }) => [line, to])).toEqual([
      [2, staff],
      [3, staff],
      [4, staff],
    ]);
    expect(accepted()).toEqual([
      [staff, "[for …000] Hi Name0"],
      [staff, "[for …001] Hi Name1"],
      [staff, "[for …002] Hi Name2"],
    ]);
    const list = JSON.parse((await run(["runs", "list", "--json"])).stdout);
    expect(list.map((one: { run: string }) => one.run)).toEqual(["topup-rehearsal"]);
    expect((await send([...rows(), "--run", "topup"])).code).toBe(0);
    expect(accepted().filter(([to]) => to !== staff)).toHaveLength(5);
  });

  it("warns in the plan of a number that may not exist", async () => {
    const { stdout } = await run(["send", ...rows(), "--redirect-to", "+254999999999", "-n"]);
    expect(stdout).toContain("to +254999999999 (in no range of numbers known to be in use) instead");
  });

  it("replaces the rehearsal before, and confuses no run of the same messages", async () => {
    for (const count of [1, 2]) expect((await send([...rows(count), ...redirect])).code).toBe(0);
    const list = JSON.parse((await run(["runs", "list", "--json"])).stdout);
    expect(list).toMatchObject([{ run: "rehearsal", recipients: 2 }]);
    expect((await send(rows())).code).toBe(0);
  });

  it("says in the plan who receives what", async () => {
    const long = [...rows().slice(0, 3), `{{name}} ${"a".repeat(70)}`];
    const { code, stdout } = await run(["send", ...long, ...redirect, "--dry-run", "--json"]);
    expect({ code, plan: JSON.parse(stdout) }).toMatchObject({
      code: 0,
      plan: {
        run: "rehearsal",
        recipients: 3,
        segments: 6,
        guards: [`--redirect-to: 3 of 5 messages to ${staff} instead`],
      },
    });
    expect(accepted()).toEqual([]);
    expect((await run(["runs", "list", "--json"])).stdout).toBe("[]\n");
  });

  it("checks every row, as the run would", async () => {
    const list = file("bad.csv", `to\n${numbers(4).join("\n")}\n0712\n`);
    expect((await run(["send", "-r", list, "-m", "Hi", ...redirect])).code).toBe(2);
    expect(accepted()).toEqual([]);
  });

  it("applies --only-to to the number that receives alone", async () => {
    const own = file("own.txt", staff);
    expect((await send([...rows(), ...redirect, "--only-to", own])).code).toBe(0);
    const twice = await run(["send", ...rows(), ...redirect, "--only-to", own, "-n"], {
      environment: { SMS_ONLY_TO: staff },
    });
    expect(twice.code).toBe(0);
    const others = file("others.txt", numbers(5).join("\n"));
    expect((await send([...rows(), ...redirect, "--only-to", others])).code).toBe(2);
    expect(accepted()).toHaveLength(3);
  });

  it("never replaces a run that is not a rehearsal", async () => {
    expect((await send([...rows(2), "--run", "topup-rehearsal"])).code).toBe(0);
    expect(await send([...rows(2), ...redirect, "--run", "topup"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining("the run topup-rehearsal is not a rehearsal"),
    });
  });

  it("refuses a number that cannot be read", async () => {
    expect(await run(["send", ...rows(), "--redirect-to", "0712"])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--redirect-to "0712" cannot be read'),
    });
  });

  it("rehearses a single message too", async () => {
    const { code, summary } = await lines(["send", "--to", "+254712345678", "-m", "Hi", ...redirect]);
    expect({ code, summary }).toMatchObject({ code: 0, summary: { run: "rehearsal", accepted: 1 } });
    expect(accepted()).toEqual([[staff, "[for …678] Hi"]]);
  });
});
