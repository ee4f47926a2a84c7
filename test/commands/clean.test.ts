import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it, test } from "vitest";
import { shellWord } from "../../src/words/shell-word.ts";
import { needs } from "../support/needs.ts";
import { rowOf, xlsxOf } from "../recipients/workbooks.ts";
import { withRuns } from "./with-runs.ts";

const { file, run } = withRuns();
const messy = "name,Mobile No.\nMüller,0712 345 001\nAmina,0712345001 / 0712345002\nBob,n.a.\nMüller,+254712345001\n";
const clean = (...args: readonly string[]) => run(["clean", ...args, "--country", "KE"]);

test("a send counts the faults of a list by reason, has all of them in --json, and names the ways on", async () => {
  const cells = Array.from({ length: 701 }, (_, index) => (index % 2 === 0 ? "n.a." : "0712345001 / 0712345002"));
  const list = file("list.csv", `to,name\n+254712345001,A\n${cells.map((cell) => `${cell},B`).join("\n")}\n`);

  const { code, stderr } = await run(["send", "-r", list, "-m", "Hi"]);
  const json = JSON.parse((await run(["send", "-r", list, "-m", "Hi", "--json"])).stderr);

  expect(code).toBe(2);
  expect(stderr.split("\n").slice(1, -1)).toEqual([
    "  351: not a number",
    ...[3, 5, 7].map((line) => `    line ${line}: "n.a." cannot be read: it has no digits`),
    "  350: several numbers in one cell",
    ...[4, 6, 8].map((line) => `    line ${line}: "0712345001 / 0712345002" cannot be read: it is 2 numbers`),
    "  1 could be used.",
    "  Nothing was sent.",
    expect.stringMatching(/^  Next: `sms clean .*list\.csv'` sorts them out; or --skip-invalid sends to the other 1$/),
  ]);
  expect(json).toMatchObject({ usable: 1, reasons: [{ reason: "not-a-number", rows: 351 }, { reason: "several" }] });
  expect(json.details).toHaveLength(701);
});

describe("sms clean", () => {
  it("writes no API key that a list has, to standard output and into files", async () => {
    const list = file("list.csv", "to,note\n+254712345001,sk_live_abcdefgh1234\nnobody,sk_live_abcdefgh1234\n");
    const { stdout } = await clean(list, "-o", "-");
    const out = list.replace("list.csv", "out.csv");
    await clean(list, "-o", out);
    const files = [out, out.replace(".csv", "-rejected.csv")].map((path) => readFileSync(path, "utf8"));
    expect(files[0]).toBe(`\uFEFF${stdout}`);
    for (const text of files) expect(text).toContain('"sk_live_[redacted]"');
  });

  it("shows what a list has, what is left out and why, and names the next command", async () => {
    const { code, stdout, stderr } = await clean(file("list.csv", messy));

    expect(code).toBe(11);
    expect(stdout.replace(/^.*\//, "").split("\n")).toEqual([
      'list.csv: 4 rows, 1 number to send to in column "Mobile No."',
      "",
      "Left out",
      "  1  several numbers in one cell",
      '      line 3: "0712345001 / 0712345002" cannot be read: it is 2 numbers',
      "  1  not a number",
      '      line 4: "n.a." cannot be read: it has no digits',
      "  1  duplicate",
      "      line 5: +254712345001, first on line 2",
      "",
      "Changed",
      "  1  + and the code of the country added",
      "  1  spaces, dots, hyphens or brackets dropped",
      "",
    ]);
    expect(stderr).toMatch(
      /^Next: `sms clean \S.*list.csv'? --country KE -o .*list-clean.csv'?` writes the usable rows; -o - writes them to standard output\n$/,
    );
  });

  it("writes the usable rows, and the others to be corrected until nothing is left", async () => {
    const list = file("list.csv", messy);
    const [out = "", again = ""] = ["-clean.csv", "-clean-2.csv"].map((end) => list.replace(".csv", end));
    const rejected = out.replace(".csv", "-rejected.csv");

    const first = await clean(list, "-o", out);
    const usable = readFileSync(out, "utf8");
    const rows = readFileSync(rejected, "utf8").replace("0712345001 / 0712345002", "0712345002");
    const corrected = file("corrected.csv", rows.replace('"n.a."', '"0712345003"'));
    const second = await clean(corrected, "-o", again, "--json");
    const sent = await run(["send", "--recipients", out, "-m", "Hi {{name}}", "--dry-run"]);

    expect(first.code).toBe(11);
    expect(first.stderr).toContain(`sms send --recipients ${shellWord(out)} --message "Hi {{name}}" --sandbox`);
    expect(first.stderr).toContain(`\`sms clean ${shellWord(rejected)} --country KE -o ${shellWord(again)}\``);
    expect(usable).toBe('\uFEFF"to","line","name"\n"+254712345001","2","Müller"\n');
    const whole = { code: 0, rows: 2, usable: 2, duplicates: [], rejected: [], rejectedOutput: null };
    expect({ code: second.code, ...JSON.parse(second.stdout) }).toMatchObject(whole);
    expect(readdirSync(dirname(list)).filter((name) => /tmp$|2-rejected/.test(name))).toEqual([]);
    expect(sent).toMatchObject({ code: 0, stdout: expect.stringContaining("Hi Müller") });
  });

  it("writes files for this person alone", needs("user ids"), async () => {
    const out = file("list.csv", messy).replace(".csv", "-clean.csv");

    await clean(file("list.csv", messy), "-o", out);

    for (const path of [out, out.replace(".csv", "-rejected.csv")]) expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("keeps every number of a list that holds people back, and says how to leave them out", async () => {
    const list = file("no.csv", "Name,Phone\nAnn,0712345001 / 0712345002\nBob,0712345003 STOP\n");
    const out = list.replace(".csv", "-clean.csv");
    const { code, stderr } = await clean(list, "--every-number", "-o", out);
    expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining("--recipients FILE --exclude ") });
    expect(readFileSync(out, "utf8").match(/\+\d+/g)).toEqual(["+254712345001", "+254712345002", "+254712345003"]);
  });

  it("says in --json what the workbook hides", async () => {
    const rows =
      rowOf(1, "to", "x") +
      rowOf(2, "+254712345001", "1") +
      rowOf(3, "+254712345002", "2").replace("<row", '<row hidden="1"');
    const list = file("list.xlsx", xlsxOf([{ rows, columns: '<col min="2" max="2" hidden="1"/>' }]));
    expect(JSON.parse((await clean(list, "--json")).stdout)).toMatchObject({
      usable: 1,
      hidden: { rows: 1, columns: ["B"] },
    });
  });

  it("has every row that it leaves out in --json", async () => {
    const { code, stdout } = await clean(file("list.csv", messy), "--json");

    const several = { text: "0712345001 / 0712345002", reason: "several", detail: "it is 2 numbers" };
    const words = { text: "n.a.", reason: "not-a-number", detail: "it has no digits" };
    expect(code).toBe(11);
    expect(JSON.parse(stdout)).toMatchObject({
      rows: 4,
      usable: 1,
      reasons: [several, words].map(({ reason }) => ({ reason, rows: 1 })),
      duplicates: [{ line: 5, to: "+254712345001", firstLine: 2 }],
      rejected: [
        { line: 3, ...several, hint: "give each number a row", suggestion: null },
        { line: 4, ...words, hint: "write it as +2547XXXXXXXX", suggestion: null },
      ],
      changes: { country: 1, punctuation: 1 },
      output: null,
    });
    expect((await clean(file("list.csv", messy), "--quiet")).stdout).toBe("1\n");
  });

  it("replaces no file without --yes, never the list that it reads, and none if it fails", async () => {
    const list = file("list.csv", messy);
    const out = file("out.csv", "kept");
    for (const [args, reason] of [
      [["-o", out], "out.csv exists already"],
      [["-o", list, "--yes"], "is the list that is read"],
      [["-o", dirname(out)], "does not end in .csv"],
    ] as const)
      expect(await clean(list, ...args)).toMatchObject({ code: 2, stderr: expect.stringContaining(reason) });
    const broken = file("broken.csv", `${messy}\0Guy,0712345003\n`);
    expect((await clean(broken, "-o", out, "--yes")).code).toBe(2);
    expect(readFileSync(out, "utf8")).toBe("kept");
    expect((await clean(list, "-o", out, "--yes")).code).toBe(11);
    expect(readFileSync(out, "utf8")).toContain("+254712345001");
    expect((await clean(file("good.csv", "to\n0712345009\n"), "-o", out, "--yes")).code).toBe(0);
    expect(existsSync(out.replace(".csv", "-rejected.csv"))).toBe(false);
    expect(readdirSync(dirname(out)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it("leaves no temporary file of OUT if OUT-rejected.csv cannot be created", async () => {
    const out = file(`${"a".repeat(226)}.csv`, "");

    const { code, stderr } = await clean(file("list.csv", messy), "-o", out, "--yes");

    expect({ code, stderr }).toMatchObject({ code: 2, stderr: expect.stringContaining("-rejected.csv could not be") });
    expect(readdirSync(dirname(out)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  const latin = Buffer.from("name,to\nM\u00fcller,+254712345001\n", "latin1");
  it.each<[string, string | Buffer, readonly string[], string]>([
    ["has no number that can be read", "to\n0712345001\n0712345002\n", [], "-o"],
    ["is in another encoding", latin, ["--encoding", "utf-8"], "give another --encoding"],
    ["has no sheets", "to\n+254712345001\n", ["--sheet", "Liste"], "leave --sheet out"],
    ["is a workbook", xlsxOf([{ rows: rowOf(1, "to") }]), ["--encoding", "utf-8"], "leave --encoding out"],
    ["has an encoding that nobody knows", "", ["--encoding", "latin-99"], "windows-1252"],
    ["has a rounded number", "to\n712000000\n", ["--country", "KE"], "ends in six zeros, so a spreadsheet rounded it"],
  ])("names the way on if a list %s", async (_, content, args, way) => {
    const ended = await run(["clean", file("list.csv", content), ...args]);
    expect(ended).toMatchObject({ code: 2, stderr: expect.stringContaining(way) });
  });

  it("takes one of several sheets", async () => {
    const sheets = ["May", "June"].map((name, month) => ({
      name,
      rows: rowOf(1, "to", "month") + rowOf(2, `+25471234500${month}`, name),
    }));
    const list = file("list.xlsx", xlsxOf(sheets));

    const { code, stdout } = await run(["clean", list, "--sheet", "June", "--json"]);

    expect({ code, ...JSON.parse(stdout) }).toMatchObject({ code: 0, sheet: "June", usable: 1 });
  });
});
