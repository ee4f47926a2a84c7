import { describe, expect, it } from "vitest";
import { fast, live, numbers, withRuns } from "./with-runs.ts";

const { accepted, file, lines, run, send } = withRuns();
const [first = "", second = "", third = ""] = numbers(3);
const rows = () => file("rows.csv", `to,name\n${first},A\n${second},B\n${third},C\n`);
const runOf = (path: string, ...more: readonly string[]) => ["-r", path, "-m", "Hi", "--run", "news", ...more];

describe("--only-to", () => {
  it("refuses a run by line, before anything is sent", async () => {
    const staff = file("staff.txt", `${first}\n`);
    const { code, stderr } = await send([...runOf(rows()), "--only-to", staff]);
    expect([code, accepted()]).toEqual([2, []]);
    expect(stderr).toContain(`line 3: ${second} is not in --only-to (${staff})\n  line 4: ${third} is not in`);
    expect(stderr).toMatch(/Next: leave it out of the recipients, or add it to that list/);
    // Whoever is skipped on purpose need not be on the list; --skip-invalid is no way around it.
    const skipping = await send([...runOf(rows()), "--only-to", staff, "--skip-invalid"]);
    expect([skipping.code, accepted()]).toEqual([2, []]);
    const exclude = ["--exclude", file("not.txt", `${second}\n${third}\n`)];
    expect((await send([...runOf(rows()), "--only-to", staff, ...exclude])).code).toBe(0);
    expect(accepted()).toEqual([[first, "Hi"]]);
  });

  it("of a profile is read in the country of the profile, and SMS_ONLY_TO in that of the environment", async () => {
    const login = ["login", "--with-key", "--no-verify", "--base-url", "http://127.0.0.1:9"];
    expect((await run(login, { stdin: "sk_test_sandbox" })).code).toBe(0);
    await run(["profiles", "set", "country", "KE"]);
    await run(["profiles", "set", "only-to", "0712 345000"]);
    const to = (number: string, flags: readonly string[], environment = {}) =>
      run(["send", "--to", number, "-m", "Hi", "-n", ...flags], { environment });
    expect((await to(first, ["--country", "UG"], { SMS_COUNTRY: "UG" })).code).toBe(0);
    const refused = (await to("+256712345000", ["--country", "UG"])).stderr;
    expect(refused).toContain("is not in the only-to of the profile");
    expect(refused.replace(/\s+/g, " ")).toContain("`sms profiles set only-to FILE --profile default`");
    const variable = { SMS_ONLY_TO: "0712 345000", SMS_COUNTRY: "KE" };
    expect((await to("+256712345000", ["--country", "UG"], variable)).stderr).toContain("is not in SMS_ONLY_TO");
  });

  it("is in the plan of a dry run", async () => {
    const staff = file("staff.txt", `${first}\n`);
    const { stdout } = await run(["send", "--to", first, "-m", "Hi", "-n", "--only-to", staff]);
    expect(stdout).toMatch(/^ {2}Guard +only to the 1 number of --only-to /m);
    const { summary } = await lines(["send", "--to", first, "--run", "a", "-m", "Hi", "-n", "--only-to", staff]);
    expect(summary.guards).toEqual([`only to the 1 number of --only-to (${staff})`]);
  });

  it("refuses a list with a number that cannot be read, and standard input", async () => {
    for (const list of [file("list.txt", `${first}\n12\n`), "-"])
      expect((await run(["send", "--to", first, "-m", "Hi", "--only-to", list], { stdin: first })).code).toBe(2);
    expect(accepted()).toEqual([]);
  });

  it("and SMS_ONLY_TO narrow each other: numbers or a file", async () => {
    const one = (to: string, list: string) => ["send", "--to", to, "-m", "Hi", "--only-to", list];
    const environment = { SMS_ONLY_TO: `${first}, ${second}` };
    const staff = file("staff.txt", `${second}\n${third}\n`);
    expect((await run(one(first, staff), { environment })).stderr).toContain(`${first} is not in --only-to (${staff})`);
    expect((await run(one(third, staff), { environment })).stderr).toContain(`${third} is not in SMS_ONLY_TO\n`);
    expect((await run(one(second, staff), { environment: { SMS_ONLY_TO: staff } })).code).toBe(0);
    expect(accepted()).toEqual([[second, "Hi"]]);
  });
});

describe("on resume", () => {
  it("--only-to is checked against what is left, by line", async () => {
    // The sandbox has 5 credits.
    const many = file("many.txt", `${numbers(7).join("\n")}\n`);
    expect((await send([...runOf(many), "--yes"], live)).code).toBe(5);
    const resume = ["runs", "resume", "news", "--yes", ...fast, "--only-to", file("staff.txt", `${first}\n`)];
    const { code, stderr } = await run(resume, live);
    expect([code, accepted().length]).toEqual([2, 5]);
    expect(stderr).toContain("2 rows of run news cannot be used\n  line 6: ");
  });
});
