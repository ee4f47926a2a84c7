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
  expect([code, stderr.split("\n").slice(1, -1)]).toEqual([
    2,
    [
      "  351: not a number",
      ...[3, 5, 7].map((line) => `    line ${line}: "n.a." cannot be read: it has no digits`),
      "  350: several numbers in one cell",
      ...[4, 6, 8].map((line) => `    line ${line}: "0712345001 / 0712345002" cannot be read: it is 2 numbers`),
      "  1 could be used.",
      "  Nothing was sent.",
      expect.stringMatching(
        /^  Next: `sms clean .*list\.csv'` sorts them out; or --skip-invalid sends to the other 1$/,
      ),
    ],
  ]);
  const json = JSON.parse((await run(["send", "-r", list, "-m", "Hi", "--json"])).stderr);
  expect(json).toMatchObject({ usable: 1, reasons: [{ reason: "not-a-number", rows: 351 }, { reason: "several" }] });
  expect(json.details).toHaveLength(701);
});

describe("sms clean", () => {
  it("shows what a list has, what is left out and why, and names the next command", async () => {
    const { code, stdout, stderr } = await clean(file("list.csv", messy));
    const shown = stdout.replace(/^.*\//, "").split("\n");
    expect([code, shown]).toEqual([
      11,
      [
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
      ],
    ]);
    expect(stderr).toMatch(
      /^Next: `sms clean \S.*list.csv'? --country KE -o .*list-clean.csv'?` writes the usable rows\n$/,
    );
  });

  it("writes the usable rows, and the others to be corrected until nothing is left", async () => {
    const list = file("list.csv", messy);
    const out = list.replace(".csv", "-clean.csv");
    const rejected = out.replace(".csv", "-rejected.csv");
    const first = await clean(list, "-o", out);
    expect([first.code, first.stderr]).toEqual([
      11,
      expect.stringContaining(`sms send --recipients ${shellWord(out)} --message "Hi {{name}}" --sandbox`),
    ]);
    expect(first.stderr).toContain(
      `\`sms clean ${shellWord(rejected)} --country KE -o ${shellWord(out.replace(".csv", "-2.csv"))}\``,
    );
    expect(readFileSync(out, "utf8")).toBe('\uFEFF"to","line","name"\n"+254712345001","2","Müller"\n');
    const corrected = file(
      "corrected.csv",
      readFileSync(rejected, "utf8").replace("0712345001 / 0712345002", "0712345002").replace('"n.a."', '"0712345003"'),
    );
    const second = await clean(corrected, "-o", out.replace(".csv", "-2.csv"), "--json");
    expect([second.code, JSON.parse(second.stdout)]).toEqual([
      0,
      expect.objectContaining({ rows: 2, usable: 2, duplicates: [], rejected: [], rejectedOutput: null }),
    ]);
    expect(readdirSync(dirname(list)).filter((name) => /tmp$|2-rejected/.test(name))).toEqual([]);
    const sent = await run(["send", "--recipients", out, "-m", "Hi {{name}}", "--dry-run"]);
    expect([sent.code, sent.stdout]).toEqual([0, expect.stringContaining("Hi Müller")]);
  });

  it("writes the usable rows to standard output with -o -, and what it found to stderr", async () => {
    const { code, stdout, stderr } = await clean(file("list.csv", messy), "-o", "-");
    expect([code, stdout]).toEqual([11, '"to","line","name"\n"+254712345001","2","Müller"\n']);
    expect(stderr).toContain("4 rows, 1 number to send to");
    expect((await clean(file("list.csv", messy), "-o", "-", "--json")).code).toBe(2);
    const red = file("red.csv", "to,name\n+254712345001,\u001b[31mred\n");
    for (const more of [[], ["--quiet"]]) {
      expect((await clean(red, "-o", "-", ...more)).stdout).toContain("\u001b[31mred");
      const shown = await run(["clean", red, "-o", "-", ...more], { isTerminal: true });
      expect(shown.stdout).toContain("\\u001b[31mred");
    }
  });

  it("writes files for this person alone", needs("user ids"), async () => {
    const out = file("list.csv", messy).replace(".csv", "-clean.csv");
    await clean(file("list.csv", messy), "-o", out);
    expect([out, out.replace(".csv", "-rejected.csv")].map((path) => statSync(path).mode & 0o777)).toEqual([
      0o600, 0o600,
    ]);
  });

  it("writes no control character of a rejected cell", async () => {
    const list = file("list.csv", "to,name\n+254712345001,A\n\u001b[31mred,\u200FB\n");
    const out = list.replace(".csv", "-clean.csv");
    await clean(list, "-o", out);
    expect(readFileSync(out.replace(".csv", "-rejected.csv"), "utf8")).toContain('"\\u001b[31mred","\u200FB"\n');
  });

  it("has every row that it leaves out in --json", async () => {
    const { code, stdout } = await clean(file("list.csv", messy), "--json");
    expect([code, JSON.parse(stdout)]).toEqual([
      11,
      expect.objectContaining({
        rows: 4,
        usable: 1,
        reasons: [
          { reason: "several", rows: 1 },
          { reason: "not-a-number", rows: 1 },
        ],
        duplicates: [{ line: 5, to: "+254712345001", firstLine: 2 }],
        rejected: [
          {
            line: 3,
            text: "0712345001 / 0712345002",
            reason: "several",
            detail: "it is 2 numbers",
            hint: "give each number a row",
            suggestion: null,
          },
          {
            line: 4,
            text: "n.a.",
            reason: "not-a-number",
            detail: "it has no digits",
            hint: "write it as +2547XXXXXXXX",
            suggestion: null,
          },
        ],
        changes: { country: 1, punctuation: 1 },
        output: null,
      }),
    ]);
    expect((await clean(file("list.csv", messy), "--quiet")).stdout).toBe("1\n");
  });

  it("replaces no file without --yes, never the list that it reads, and none if it fails", async () => {
    const list = file("list.csv", messy);
    const out = file("out.csv", "kept");
    for (const [args, said] of [
      [["-o", out], "out.csv exists already"],
      [["-o", list, "--yes"], "is the list that is read"],
      [["-o", dirname(out)], "does not end in .csv"],
    ] as const) {
      const { code, stderr } = await clean(list, ...args);
      expect([code, stderr]).toEqual([2, expect.stringContaining(said)]);
    }
    const broken = file("broken.csv", `${messy}\0Guy,0712345003\n`);
    expect((await clean(broken, "-o", out, "--yes")).code).toBe(2);
    expect(readFileSync(out, "utf8")).toBe("kept");
    expect((await clean(list, "-o", out, "--yes")).code).toBe(11);
    expect(readFileSync(out, "utf8")).toContain("+254712345001");
    expect((await clean(file("good.csv", "to\n0712345009\n"), "-o", out, "--yes")).code).toBe(0);
    expect(existsSync(out.replace(".csv", "-rejected.csv"))).toBe(false);
    expect(readdirSync(dirname(out)).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  });

  it.each<[string, string | Buffer, readonly string[], string]>([
    ["has no number that can be read", "to\n0712345001\n0712345002\n", [], "-o"],
    ["is not UTF-8", Buffer.from("name,to\nM\u00fcller,+254712345001\n", "latin1"), [], "--encoding windows-1252"],
    [
      "is in another encoding",
      Buffer.from("name,to\nM\u00fcller,+254712345001\n", "latin1"),
      ["--encoding", "utf-8"],
      "give another --encoding",
    ],
    ["has no sheets", "to\n+254712345001\n", ["--sheet", "Liste"], "leave --sheet out"],
    ["is a workbook", xlsxOf([{ rows: rowOf(1, "to") }]), ["--encoding", "utf-8"], "leave --encoding out"],
    ["has an encoding that nobody knows", "", ["--encoding", "latin-99"], "windows-1252"],
  ])("names the way on if a list %s", async (_, content, args, way) => {
    const { code, stderr } = await run(["clean", file("list.csv", content), ...args]);
    expect([code, stderr]).toEqual([2, expect.stringContaining(way)]);
  });

  it("takes one of several sheets, which a send names it for", async () => {
    const sheets = ["May", "June"].map((name, month) => ({
      name,
      rows: rowOf(1, "to", "month") + rowOf(2, `+25471234500${month}`, name),
    }));
    const list = file("list.xlsx", xlsxOf(sheets));
    for (const command of [["send", "-m", "Hi", "--recipients"], ["clean"]]) {
      const { code, stderr } = await run([...command, list]);
      expect([code, stderr]).toEqual([2, expect.stringContaining("`sms clean FILE --sheet NAME`")]);
    }
    const { code, stdout } = await run(["clean", list, "--sheet", "June", "--json"]);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.objectContaining({ sheet: "June", usable: 1 })]);
  });

  it("reads standard input, and a text in a named encoding", async () => {
    const bytes = Buffer.from("name,to\nM\u00fcller,+254712345001\n", "latin1");
    const out = file("x.csv", "").replace("x.csv", "out.csv");
    const { code } = await run(["clean", "-", "--encoding", "windows-1252", "-o", out], { stdin: bytes });
    expect([code, readFileSync(out, "utf8")]).toEqual([0, expect.stringContaining("Müller")]);
  });
});
